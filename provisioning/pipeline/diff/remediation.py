"""diff(): running and intended in, commands, rollback and the predicted result out."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from itertools import pairwise

from provisioning.errors import InvalidInput
from provisioning.pipeline.diff.exact_names import resolve_by_name
from provisioning.pipeline.diff.lines import Conflict, Gap, Line, Takeover
from provisioning.pipeline.diff.ownership import Owned
from provisioning.pipeline.diff.resolution import resolve
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
    resolution = resolve(held, intended, owned, repair=repair, show=show)
    if resolution.conflicts:
        return Remediation(
            (), (), (), resolution.conflicts, resolution.takeovers, resolution.warnings, running
        )
    after = {(kind, name) for (kind, _), name in resolution.chosen.items()}
    return dataclasses.replace(
        _both_ways((held, resolution.target), renderer, profile, bandwidths, resolution.warnings),
        takeovers=resolution.takeovers,
        ours_after=_present(resolution.target, after),
        released=resolution.released,
    )


def diff_configs(
    running: RunningConfig,
    intended: RunningConfig,
    renderer: Renderer,
    profile: Profile | None = None,
    *,
    bandwidths: Mapping[str, int] | None = None,
    owned: Collection[str] = (),
    exact: bool = False,
) -> Remediation:
    """The same for two configs, where no row says whose anything is: what takes each object `intended` names, and each
    place it binds, to what it says, under exactly its name. What is bound to an `owned` interface and `intended` does not
    bind there goes. Nothing else is renamed, moved or removed for good, unless `exact`: then `intended` is all there shall
    be.

    Raises InvalidInput when `intended` uses one name for an IPv4 and an IPv6 list, and for what cannot be changed as it
    is used (`resolve_by_name`).
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
    held = Objects(running)
    found = resolve_by_name(held, intent, owned=owned, exact=exact)
    if found.conflicts:
        return Remediation((), (), (), found.conflicts, (), found.warnings, running)
    plan = _both_ways((held, *found.stages), renderer, profile, bandwidths, found.warnings)
    again = _made_again(plan.commands, held, found.target, found.wanted)
    return dataclasses.replace(
        plan, warnings=(*plan.warnings, *again), ours_after=_present(found.target, found.wanted)
    )


def _printer(renderer: Renderer, profile: Profile | None) -> Callable[[MqcObject], str]:
    return lambda thing: renderer.text(thing, profile)


def _present(target: Objects, keys: Iterable[Key]) -> dict[Key, MqcObject]:
    return {key: target.store[key] for key in sorted(keys) if key in target.store}


def _both_ways(
    stages: Sequence[Objects],
    renderer: Renderer,
    profile: Profile | None,
    bandwidths: Mapping[str, int] | None,
    warnings: tuple[str, ...],
) -> Remediation:
    """From the first of the stages over each to the last, and back the same way."""
    commands, rollback = list[Line](), list[Line]()
    gaps: list[Gap] = []
    for before, after in pairwise(stages):
        step = transition_of(before, after, renderer, profile, bandwidths=bandwidths)
        gaps += (dataclasses.replace(gap, after_line=len(commands) + gap.after_line) for gap in step.gaps)
        commands += step.lines
    for after, before in pairwise(reversed(stages)):
        rollback += transition_of(
            after, before, renderer, profile, bandwidths=bandwidths, restoring=True
        ).lines
    return Remediation(
        commands=tuple(commands),
        rollback=tuple(rollback),
        gaps=tuple(gaps),
        conflicts=(),
        takeovers=(),
        warnings=(*warnings, *_untypeable(stages[0], stages[-1])),
        result=stages[-1].config,
    )


def _made_again(
    commands: Iterable[Line], held: Objects, target: Objects, wanted: frozenset[Key]
) -> Iterator[str]:
    """Objects that `mqc diff` was told nothing of and has to take away for a moment: no packet meets them."""
    typed = {line.text for line in commands}
    for key, thing in sorted(held.store.items(), key=lambda item: item[0]):
        if key not in wanted and target.store.get(key) is thing and f"no {key[0]} {key[1]}" in typed:
            yield (
                f"{key[0]} {key[1]}, which INTENDED does not name, is made again as it was: it uses what is made anew"
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
