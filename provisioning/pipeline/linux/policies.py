"""The policies of a Linux router as text: what they come to in its kernel, and what of them it really holds."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from dataclasses import replace
from ipaddress import ip_interface
from typing import Any, Final

from provisioning.errors import InvalidInput, ParseFailure
from provisioning.pipeline import ios
from provisioning.pipeline.intent import RouterIntent
from provisioning.pipeline.linux.difference import difference, settled
from provisioning.pipeline.linux.intending import intended
from provisioning.pipeline.linux.looking import Look
from provisioning.pipeline.linux.script import script
from provisioning.pipeline.linux.values import LinuxState
from provisioning.pipeline.mqc import Binding, RunningConfig
from provisioning.pipeline.rendering import Renderer

UNWRITTEN: Final = "held-but-not-written"
"""Stands for a policy where the kernel holds something of ours that no policy says."""
_STATES: Final = {"input": ("inward", "filters"), "output": ("outward", "queues")}
_DIRECTIONS: Final = tuple(_STATES)


def written(config: RunningConfig, renderer: Renderer) -> str:
    """The policies of a configuration as they are kept: what `kept` reads again."""
    objects = RouterIntent(
        router="", access_lists=tuple(config.access_lists.values()), class_maps=tuple(config.class_maps.values()),
        policy_maps=tuple(config.policy_maps.values()),
    )  # fmt: skip
    places = "".join(
        f"interface {name}\n" + "".join(f" {renderer.lines(each)[-1].strip()}\n" for each in bound) + "!\n"
        for name in sorted({each.interface for each in config.bindings})
        if (bound := _bound_on(config, name))
    )
    return renderer.document(objects.objects()) + places


def kept(text: str) -> RunningConfig:
    """Policies that are kept, with what is bound. Raises ParseFailure."""
    return ios.parse(f"{text}end\n") if text.strip() else RunningConfig()


def compiled(config: RunningConfig, look: Look) -> LinuxState:
    """What the kernel must hold for a configuration. Raises InvalidInput naming what cannot be done."""
    bindings = [each for each in config.bindings if each.policy != UNWRITTEN]
    for each in bindings:
        if each.interface not in look.links:
            raise InvalidInput(f"there is no interface {each.interface}", field="interface")
    intent = RouterIntent(
        router=look.hostname,
        access_lists=tuple(config.access_lists.values()),
        class_maps=tuple(config.class_maps.values()),
        policy_maps=tuple(config.policy_maps.values()),
        bindings=frozenset(replace(each, interface=look.links[each.interface].name) for each in bindings),
    )
    rates = {link.name: link.bps for link in look.links.values() if link.bps is not None}
    return intended(intent, rates).state


def there(config: RunningConfig, look: Look) -> RunningConfig:
    """A configuration without what is bound to interfaces that the router does not have now: the kernel holds nothing there."""
    return replace(
        config, bindings=frozenset(each for each in config.bindings if each.interface in look.links)
    )


def _comes_to(config: RunningConfig, look: Look) -> tuple[LinuxState, dict[tuple[str, str], InvalidInput]]:
    """What the kernel must hold for all of a configuration that can be worked out, and by place why something cannot."""
    try:
        return compiled(config, look), {}
    except InvalidInput:
        pass
    good, bad = set(), {}
    for each in config.bindings:
        try:
            compiled(replace(config, bindings=frozenset({each})), look)
            good.add(each)
        except InvalidInput as error:
            bad[each.interface, each.direction] = error
    return compiled(replace(config, bindings=frozenset(good)), look), bad


def toward(look: Look, before: RunningConfig, after: RunningConfig) -> LinuxState:
    """What the kernel must hold once `before` has become `after`: where that changes nothing stays what there is, whoever made
    it. Raises InvalidInput."""
    running, new = look.running, compiled(after, look)
    try:
        old = compiled(before, look)
    except InvalidInput:
        old = LinuxState()
    changed = {(each.interface, each.direction) for each in before.bindings ^ after.bindings}
    held: dict[str, dict[str, Any]] = {
        part: dict(getattr(running, part)) for parts in _STATES.values() for part in parts
    }
    policers = dict(running.policers)
    for called, link in look.links.items():
        for direction, parts in _STATES.items():
            alike = _place(old, link.name, direction) == _place(new, link.name, direction)
            if (called, direction) not in changed and alike:
                continue
            for part in parts:
                held[part].pop(link.name, None)
                if (wanted := getattr(new, part).get(link.name)) is not None:
                    held[part][link.name] = wanted
            policers |= {each.device: new.policers[each.device] for each in held["filters"].get(link.name, ())
                         if direction == "input"}  # fmt: skip
    led = {each.device for filters in held["filters"].values() for each in filters}
    policers = {name: each for name, each in policers.items() if name in led}
    return LinuxState(strangers=running.strangers, digest=running.digest, policers=policers, **held)


def held_text(look: Look) -> str:
    """The configuration that a router shows: policies as they are written, bound where the kernel holds what they come to.

    Raises ParseFailure where it holds something and what is written there cannot be worked out: that is not known, and not
    unbound.
    """
    config = there(kept(look.policies), look)
    wanted, unknown = _comes_to(config, look)
    running = settled(look.running, wanted)
    bound: set[Binding] = set()
    remarks: dict[str, str] = {}
    for called, link in look.links.items():
        for direction in _DIRECTIONS:
            bound_here = config.bound(called, direction)
            place = _place(running, link.name, direction)
            if (why := unknown.get((called, direction))) is not None:
                if any(place):
                    raise ParseFailure(
                        f"{called} {direction}: what {bound_here} comes to is not known: {why.reason}"
                    )
                remarks[called] = f"{direction}: {bound_here} is not held: {why.reason}"
            elif place == _place(wanted, link.name, direction):
                bound |= set() if bound_here is None else {Binding(called, None, direction, bound_here)}
            elif bound_here is None:
                bound.add(Binding(called, None, direction, UNWRITTEN))
            else:
                remarks[called] = f"{direction}: nftables and tc do not hold what {bound_here} comes to"
    return _framed(look, look.policies, frozenset(bound), remarks)


def saved_text(look: Look) -> str:
    """The configuration that it would load at boot; what is not policies is as it is now, since it is not ours to keep."""
    if not look.saved or not look.loads:
        return _framed(look, "", frozenset(), {})
    try:
        config = kept(look.saved)
        whole = loader_digest(loader(look.saved, compiled(there(config, look), look))) == look.loader_digest
    except InvalidInput:
        whole, config = False, RunningConfig()
    bound = config.bindings if whole else frozenset()
    return _framed(look, look.saved, bound, {})


def loader(policies: str, state: LinuxState) -> str:
    """The script that is run at boot, on a router whose kernel holds nothing of ours."""
    keep = f"mkdir -p /run/expedite\ncat > /run/expedite/policies <<'POLICIES'\n{policies}POLICIES\n"
    return script(difference(LinuxState(), state), "") + keep


def loader_digest(text: str) -> str:
    """What the router says of a file of this text."""
    return hashlib.sha256(text.encode()).hexdigest()


def _place(state: LinuxState, name: str, direction: str) -> tuple[object, ...]:
    """All of a state that is about one interface and direction."""
    parts = tuple(getattr(state, part).get(name, ()) for part in _STATES[direction])
    led = {each.device for each in state.filters.get(name, ())} if direction == "input" else set()
    return *parts, *(state.policers.get(device) for device in sorted(led))


def _bound_on(config: RunningConfig, name: str) -> list[Binding]:
    here = [each for each in config.bindings if each.interface == name and each.policy != UNWRITTEN]
    return sorted(here, key=lambda each: each.direction)


def _framed(look: Look, policies: str, bound: frozenset[Binding], remarks: dict[str, str]) -> str:
    """Policies between a host name and the interfaces, as a running-config is."""
    objects = policies.partition("\ninterface ")[0] if "\ninterface " in policies else policies
    if policies.startswith("interface "):
        objects = ""
    lines = [f"! Linux {look.kernel}; policies as they are kept, nftables and tc hold what they come to",
             f"hostname {look.hostname}", "!", *objects.rstrip("\n").split("\n")]  # fmt: skip
    for called, link in look.links.items():
        lines += [f"interface {called}", f" ! {link.name} {remarks.get(called, '')}".rstrip()]
        lines += list(_addresses(link.addresses))
        lines += [] if link.enabled else [" shutdown"]
        here = sorted((each for each in bound if each.interface == called), key=lambda each: each.direction)
        lines += [f" service-policy {each.direction} {each.policy}" for each in here]
        lines.append("!")
    return "\n".join([line for line in lines if line] + ["end", ""])


def _addresses(addresses: tuple[str, ...]) -> Iterator[str]:
    first = True
    for text in addresses:
        at = ip_interface(text)
        if at.version == 6:
            yield f" ipv6 address {at.with_prefixlen.upper()}"
        else:
            yield f" ip address {at.ip} {at.network.netmask}" + ("" if first else " secondary")
            first = False
