"""diff(): running and intended in, commands, rollback and the predicted result out."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import cached_property

from provisioning.errors import InvalidInput
from provisioning.pipeline.diff.lines import Conflict, Gap, Line, Takeover
from provisioning.pipeline.diff.ownership import NOTHING, Owned
from provisioning.pipeline.diff.resolution import Resolution, resolve
from provisioning.pipeline.diff.store import Key, MqcObject, Objects, digest_of
from provisioning.pipeline.diff.transition import transition_of
from provisioning.pipeline.intent import RouterIntent
from provisioning.pipeline.mqc import AccessList, RunningConfig
from provisioning.pipeline.platforms import Profile
from provisioning.pipeline.rendering import Renderer


@dataclass(frozen=True)
class Remediation:
    """What to send and the way back.

    With conflicts there are no commands: nothing is sent to a router that holds what is not ours under our names.
    `result` is the config predicted after the commands, `ours_after` every object of it that is ours then by (kind,
    name), `released` what is ours no longer.
    """

    commands: tuple[Line, ...]
    rollback: tuple[Line, ...]
    gaps: tuple[Gap, ...]
    conflicts: tuple[Conflict, ...]
    takeovers: tuple[Takeover, ...]
    warnings: tuple[str, ...]
    result: RunningConfig
    ours_after: Mapping[Key, MqcObject] = field(default_factory=dict)
    released: tuple[Key, ...] = ()

    @property
    def empty(self) -> bool:
        """Whether there is nothing to send and nothing in the way."""
        return not self.commands and not self.conflicts

    @cached_property
    def owned_after(self) -> Mapping[Key, str]:
        """The digest of every object that is ours then, as rows of ownership keep it."""
        return {key: digest_of(thing) for key, thing in self.ours_after.items()}


def diff(
    running: RunningConfig,
    intended: RouterIntent,
    owned: Owned,
    renderer: Renderer,
    profile: Profile | None = None,
    *,
    repair: bool = False,
    bandwidths: Mapping[str, int] | None = None,
) -> Remediation:
    """Return what takes `running` to `intended`, touching only what is ours.

    Ours is what `owned` says and what has exactly the intended content (taken over, reported). Foreign objects of
    the same name and hand edits are conflicts; `repair` overwrites hand edits. `bandwidths` maps interfaces to the BW
    the router shows, in bit/s: with it a percentage and a rate are put in order.
    """
    show, held = _printer(renderer, profile), Objects(running)
    return _remediation(
        held, resolve(held, intended, owned, repair=repair, show=show), renderer, profile, bandwidths
    )


def diff_configs(
    running: RunningConfig,
    intended: RunningConfig,
    renderer: Renderer,
    profile: Profile | None = None,
    *,
    bandwidths: Mapping[str, int] | None = None,
) -> Remediation:
    """The same for two configs: owned is every object `intended` names, its versions, and every place it binds.

    Raises InvalidInput when `intended` uses one name for an IPv4 and an IPv6 list.
    """
    for name in intended.access_lists:
        if name.startswith("ipv6 "):
            raise InvalidInput(f"{name[5:]} names both an IPv4 and an IPv6 access list", field="access-list")
    intent = RouterIntent(
        router=intended.hostname,
        access_lists=tuple(intended.access_lists.values()),
        class_maps=tuple(intended.class_maps.values()),
        policy_maps=tuple(intended.policy_maps.values()),
        bindings=intended.bindings,
    )
    show, held = _printer(renderer, profile), Objects(running)
    return _remediation(
        held, resolve(held, intent, NOTHING, owns_named=True, show=show), renderer, profile, bandwidths
    )


def _printer(renderer: Renderer, profile: Profile | None) -> Callable[[MqcObject], str]:
    return lambda thing: renderer.text(thing, profile)


def _remediation(
    running: Objects,
    resolution: Resolution,
    renderer: Renderer,
    profile: Profile | None,
    bandwidths: Mapping[str, int] | None,
) -> Remediation:
    if resolution.conflicts:
        return Remediation(
            (), (), (), resolution.conflicts, resolution.takeovers, resolution.warnings, running.config
        )
    target = resolution.target
    forward = transition_of(running, target, renderer, profile, bandwidths=bandwidths)
    back = transition_of(target, running, renderer, profile, bandwidths=bandwidths, restoring=True)
    after = {(kind, name) for (kind, _), name in resolution.chosen.items()}
    return Remediation(
        commands=forward.lines,
        rollback=back.lines,
        gaps=forward.gaps,
        conflicts=(),
        takeovers=resolution.takeovers,
        warnings=(*resolution.warnings, *_untypeable(running, target)),
        result=target.config,
        ours_after={key: target.store[key] for key in sorted(after) if key in target.store},
        released=resolution.released,
    )


def _untypeable(running: Objects, target: Objects) -> Iterator[str]:
    for key, held in sorted(running.store.items(), key=lambda item: item[0]):
        if not any("?" in text for text in _said(held)):
            continue
        left = target.store.get(key)
        if left is None or type(left) is not type(held) or _said(left) != _said(held):
            said = "a remark" if isinstance(held, AccessList) else "its description"
            yield f"{key[0]} {key[1]}: {said} holds a question mark, which cannot be typed: put back without it"


def _said(thing: MqcObject) -> tuple[str, ...]:
    """What an object says to people."""
    if isinstance(thing, AccessList):
        return tuple(entry.remark for entry in thing.entries if entry.remark is not None)
    return (thing.description,)
