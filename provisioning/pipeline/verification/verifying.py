"""running-config as read + intent -> InSync | Differs | Unknown."""

from __future__ import annotations

from collections.abc import Mapping

from provisioning.errors import ExpediteError
from provisioning.pipeline import ios
from provisioning.pipeline.diff import (
    Conflict,
    ConflictKind,
    Owned,
    Remediation,
    as_intended,
    diff,
    equal_today,
)
from provisioning.pipeline.diff.compare import same
from provisioning.pipeline.diff.store import MqcObject, store_of
from provisioning.pipeline.intent import RouterIntent, interface_key
from provisioning.pipeline.mqc import Binding, RunningConfig
from provisioning.pipeline.platforms import Profile
from provisioning.pipeline.rendering import Renderer
from provisioning.pipeline.verification.outcome import Difference, Differs, InSync, Outcome, Unknown


def verify(
    reading: str | RunningConfig | Exception,
    intended: RouterIntent,
    owned: Owned,
    renderer: Renderer,
    profile: Profile,
    bandwidths: Mapping[str, int] | None = None,
) -> Outcome:
    """Say whether a router holds exactly what is intended.

    `reading` is the running-config as text or parsed, or the error that came instead of one. Unknown for an error
    and for text that cannot be parsed or is no whole running-config: what is missing from half a text is not missing
    from the router. `bandwidths` maps interfaces to the BW the router shows, in bit/s: a percentage and a rate that
    come to the same there are a difference, and said to be equal today.
    """
    if isinstance(reading, Exception):
        return Unknown(str(reading) or type(reading).__name__)
    if isinstance(reading, str):
        try:
            running = ios.parse(reading, profile)
        except ExpediteError as error:
            return Unknown(str(error))
        if not running.whole:
            return Unknown("what was read is not a whole running-config")
    else:
        running = reading
    found = diff(running, intended, owned, renderer, profile)
    if found.empty:
        return InSync(intended.revision, found.owned_after, found.takeovers)
    items = _differences(running, found, renderer, profile)
    same_today = equal_today(running, as_intended(running, intended), bandwidths)
    return Differs(intended.revision, items, found.conflicts, same_today)


def _differences(
    running: RunningConfig, found: Remediation, renderer: Renderer, profile: Profile
) -> tuple[Difference, ...]:
    items = [_conflicting(conflict) for conflict in found.conflicts]
    before, after = store_of(running), store_of(found.result)
    for key in sorted({*before, *after}):
        old, new = before.get(key), after.get(key)
        if old != new and not (old is not None and new is not None and same(old, new)):
            items.append(
                Difference(f"{key[0]} {key[1]}", _text(new, renderer, profile), _text(old, renderer, profile))
            )
    bound, wanted = _by_place(running.bindings), _by_place(found.result.bindings)
    return (
        *items,
        *(
            Difference(place, wanted.get(place, ""), bound.get(place, ""))
            for place in sorted({*bound, *wanted})
            if bound.get(place) != wanted.get(place)
        ),
    )


def _conflicting(conflict: Conflict) -> Difference:
    what = "" if conflict.kind is ConflictKind.MISSING_INTERFACE else f"{conflict.object_kind} "
    return Difference(f"{what}{conflict.name}", conflict.expected, conflict.found)


def _by_place(bindings: frozenset[Binding]) -> dict[str, str]:
    return {
        f"{interface_key(binding.interface, binding.pvc)} {binding.direction}": f"service-policy {binding.policy}"
        for binding in bindings
    }


def _text(thing: MqcObject | None, renderer: Renderer, profile: Profile) -> str:
    return "" if thing is None else renderer.text(thing, profile)
