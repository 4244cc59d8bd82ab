"""Whose the unsaved lines of a router are: those of our pushes, of whatever change, and those of other people.

Known by what was sent, not by when it appeared. A line of the difference between running-config and startup-config is ours
where its section (an object, or the place of a binding) holds what our last lines about it left there; else it is foreign.
In doubt it is foreign: nothing foreign is saved without a word.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from functools import cached_property
from typing import Any

from django.db.models import Max, QuerySet

from inventory.models import Router
from provisioning.errors import StaleState
from provisioning.models import ConfigSnapshot, RouterPush, RouterSync
from provisioning.pipeline import ios
from provisioning.pipeline.change.plan import ChangePlan
from provisioning.pipeline.change.whose import Section, can_have_left, content_of, section_of, touched
from provisioning.pipeline.mqc import RunningConfig
from provisioning.pipeline.platforms import profile
from provisioning.pipeline.states import PushState
from provisioning.selectors.plans import plan_of
from provisioning.services.reading import Reading

MOST = 100
"""So many pushes are looked through; a router that nobody saves for longer has its oldest lines counted as foreign."""


@dataclass(frozen=True, slots=True)
class Whose:
    """The lines that running-config and startup-config differ in, as `drivers.difference` spells them, by whose they are."""

    ours: tuple[str, ...] = ()
    foreign: tuple[str, ...] = ()


@dataclass(frozen=True)
class _Open:
    """Lines about one section whose owner is not found yet; `holds` is what the section holds now."""

    lines: tuple[str, ...]
    holds: str

    @property
    def reordered(self) -> bool:
        """Whether the same lines went and came: then only their order is another one."""
        gone = sorted(line[2:] for line in self.lines if line.startswith("-"))
        return gone == sorted(line[2:] for line in self.lines if line.startswith("+"))


def sort_out(
    router: Router, reading: Reading, *, left_by: tuple[RouterPush, ChangePlan] | None = None
) -> Whose:
    """Say whose the unsaved lines of a reading are. Asks nothing where there are none.

    `left_by` is a push (and its plan) of which all lines were just seen in the reading, and whose row does not say so yet.
    """
    return of_lines(router, reading.unsaved, reading.config, left_by=left_by)


def of_lines(
    router: Router,
    unsaved: Sequence[str],
    config: RunningConfig,
    *,
    left_by: tuple[RouterPush, ChangePlan] | None = None,
) -> Whose:
    """As `sort_out`, of these lines of a router that holds `config`."""
    by_section: dict[Section, list[str]] = {}
    for line in unsaved:
        section = section_of(line, config)
        if section is not None:
            by_section.setdefault(section, []).append(line)
    waiting = {
        section: _Open(tuple(lines), content_of(config, section)) for section, lines in by_section.items()
    }
    ours: set[Section] = set()
    for sent in _sent(router, left_by) if waiting else ():
        for section in sorted(waiting.keys() & sent.sections):
            answer = sent.left(section, waiting[section], config)
            if answer is not None:
                del waiting[section]
            if answer:
                ours.add(section)
        if not waiting:
            break
    lines = [(line, section_of(line, config) in ours) for line in unsaved]
    return Whose(tuple(line for line, own in lines if own), tuple(line for line, own in lines if not own))


@dataclass
class _Sent:
    """One push whose lines were sent, or may have been."""

    push: RouterPush
    plan: ChangePlan
    seen: bool
    """Whether all its lines were seen on the router, the last thing that we know of it."""
    sections: frozenset[Section] = field(init=False)

    def __post_init__(self) -> None:
        self.sections = touched(self.plan)

    def left(self, section: Section, found: _Open, config: RunningConfig) -> bool | None:
        """Whether this push left the section as it is found; None where that is what it found there itself, unsaved."""
        was_unsaved = section in {section_of(line, config) for line in self._begun_from.unsaved}
        if was_unsaved and content_of(self._before, section) == found.holds:
            return None
        if self.seen:
            # No other state: what it passed through on its way, somebody else has brought back.
            after = config if self.push.after is None else self._after
            return found.holds == content_of(after, section)
        if content_of(self._before, section) == found.holds:
            return found.reordered  # taken back: made anew, its lines may stand in another order
        if self.push.state == PushState.ROLLED_BACK:
            return False
        return found.holds in self._can_have_left.get(section, ())

    @property
    def _begun_from(self) -> ConfigSnapshot:
        assert self.push.before is not None
        return self.push.before

    @cached_property
    def _before(self) -> RunningConfig:
        return ios.parse(self._begun_from.text)

    @cached_property
    def _after(self) -> RunningConfig:
        assert self.push.after is not None
        return ios.parse(self.push.after.text)

    @cached_property
    def _can_have_left(self) -> Mapping[Section, frozenset[str]]:
        known = profile(self.push.router.platform, self.push.router.ios)
        return can_have_left(self.plan, self._before, self.push.undo_from, known)


def _sent(router: Router, left_by: tuple[RouterPush, ChangePlan] | None) -> Iterator[_Sent]:
    """The pushes of a router whose lines may be unsaved, the newest first; ends where the lines of one are gone."""
    if left_by is not None:
        yield _Sent(*left_by, seen=True)
    rows = _since_saved(router).select_related("router", "before", "after").order_by("-started_at", "-pk")
    if left_by is not None:
        rows = rows.exclude(pk=left_by[0].pk)
    for push in rows[:MOST].iterator(chunk_size=4):
        try:
            plan = plan_of(push)
        except StaleState:
            return
        yield _Sent(push, plan, seen=push.state == PushState.VERIFIED)


def _since_saved(router: Router) -> QuerySet[RouterPush]:
    """The pushes that began since running-config and startup-config were last seen equal, or made so by us."""
    equal = (
        ConfigSnapshot.objects.filter(router=router, unsaved=[]).order_by("-pk").values_list("pk", flat=True)
    )
    saved = RouterPush.objects.filter(router=router, saved=True).aggregate(last=Max("after"))["last"]
    begun = RouterPush.objects.filter(router=router, started_at__isnull=False, before__isnull=False)
    return begun.exclude(plan_digest="").filter(before__gte=max(equal.first() or 0, saved or 0))


def as_row(router: Router, whose: Whose, at: datetime) -> dict[str, Any]:
    """What is kept of a router's unsaved lines: whose they are, and since when each of the foreign ones was seen."""
    if not (whose.ours or whose.foreign):
        return {}
    known = RouterSync.objects.filter(router=router).values_list("unsaved", flat=True).first() or {}
    since = known.get("since", {})
    return {
        "ours": list(whose.ours),
        "foreign": list(whose.foreign),
        "since": {line: since.get(line, at.isoformat()) for line in whose.foreign},
    }


def note_saved(router: Router, at: datetime) -> None:
    """Nothing is unsaved any more: what was verified and not saved is saved by now, by whomever; inside a transaction."""
    verified = RouterPush.objects.filter(
        router=router, saved=False, state=PushState.VERIFIED, finished_at__lt=at
    )
    verified.update(saved=True, error_code="")
