"""What an NREN had in a month: what was promised and held, used beside reserved, dropped, and changed.

Months are of UTC. One that is not over is told up to now. A bounded number of statements, whatever the number of rows.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Any, Final

from django.db.models import Count as Number
from django.db.models import Max, Q, QuerySet, Sum

from inventory.models import AccessLink, Nren
from provisioning.errors import InvalidInput, NotVisible
from provisioning.models import Actor, Modification, PremiumRequest, Span, UsagePeriod, Verb
from provisioning.pipeline.units import shown
from provisioning.pipeline.usage import NUMBERS, Count, Verdict, judge

_MONTH: Final = re.compile(r"(\d{4})-(0[1-9]|1[0-2])\Z")
_FIRST_YEAR: Final = 2000
FIRST: Final = 100
"""Reservations of a report that are at hand without another look; `Report.reservations` has all of them."""


@dataclass(frozen=True, slots=True, order=True)
class Month:
    """A month of UTC, from `begins` until `ends`."""

    year: int
    month: int

    @classmethod
    def parse(cls, text: str) -> Month:
        """Read ``2026-11``. Raises InvalidInput naming ``month``."""
        found = _MONTH.match(text)
        if found is None or int(found[1]) < _FIRST_YEAR:
            raise InvalidInput(f"{shown(text)} is no month such as 2026-11", field="month")
        return cls(int(found[1]), int(found[2]))

    @classmethod
    def of(cls, moment: datetime) -> Month:
        at = moment.astimezone(UTC)
        return cls(at.year, at.month)

    @property
    def begins(self) -> datetime:
        return datetime(self.year, self.month, 1, tzinfo=UTC)

    @property
    def ends(self) -> datetime:
        return self.after.begins

    @property
    def before(self) -> Month:
        """The month before."""
        return Month(self.year - 1, 12) if self.month == 1 else Month(self.year, self.month - 1)

    @property
    def after(self) -> Month:
        """The month after."""
        return Month(self.year + 1, 1) if self.month == 12 else Month(self.year, self.month + 1)

    def __str__(self) -> str:
        return f"{self.year:04}-{self.month:02}"


@dataclass(frozen=True, slots=True)
class Promised:
    """One reservation in a month. ``promised_s`` is how much of the month it was to be on, ``held_s`` how much of that its
    ingress was seen with it; ``changes`` came in force in it.
    """

    pk: int
    nren: str
    link: str
    service: str
    rate_bps: int
    start: datetime
    end: datetime | None
    promised_s: float
    held_s: float
    changes: int

    @property
    def reference(self) -> str:
        return f"PIP-{self.pk}"

    @property
    def availability(self) -> float:
        """The part of what was promised that was held, 0 to 1."""
        return self.held_s / self.promised_s


@dataclass(frozen=True, slots=True)
class Used:
    """One class of an access link in a month: what entered by it, as a mean over the time that was counted, at layer 3."""

    nren: str
    link: str
    router: str
    classes: str
    services: tuple[str, ...]
    counted_s: float
    packets: int | None
    dropped_packets: int | None
    queue_drops: int | None
    verdict: Verdict


@dataclass(slots=True)
class Total:
    """An NREN's month in one line."""

    nren: Nren
    reservations: int = 0
    promised_s: float = 0.0
    held_s: float = 0.0
    changes: int = 0
    sent_bps: int = 0
    passed_packets: int = 0
    dropped_packets: int = 0
    is_counted: bool = False
    is_at_least: bool = False

    @property
    def availability(self) -> float | None:
        """The part of what was promised that was held; None where nothing was."""
        return self.held_s / self.promised_s if self.promised_s else None

    @property
    def lost(self) -> float | None:
        """The share of its packets that policers dropped; None where no policer counted."""
        every = self.passed_packets + self.dropped_packets
        return self.dropped_packets / every if every else None


@dataclass(frozen=True)
class Report:
    """A month of these NRENs, up to ``until``. ``used`` is by link, ``first`` are the oldest reservations."""

    month: Month
    until: datetime
    is_over: bool
    nrens: tuple[Nren, ...]
    totals: tuple[Total, ...] = field(default=())
    used: tuple[Used, ...] = field(default=())
    first: tuple[Promised, ...] = field(default=())

    def reservations(self) -> Iterator[Promised]:
        """All that were promised in it, the oldest first; streamed, two statements."""
        return _promised(self)


def monthly(actor: Actor | None, month: Month, *, now: datetime, nren: str = "") -> Report:
    """Return the month of every NREN of which `actor` (None: the machine's own shell) may see what it uses, or of one.

    Raises InvalidInput for a month that has not begun, NotVisible for an NREN that is not the actor's.
    """
    if month.begins > now:
        raise InvalidInput(f"{month} has not begun", field="month")
    rows = Nren.every.order_by("name", "pk")
    if actor is not None and not actor.may(Verb.SEE_BACKBONE):
        rows = rows.filter(pk__in=actor.nren_ids)
    if nren:
        rows = rows.filter(name=nren)
    nrens = tuple(each for each in rows if actor is None or actor.may_with(Verb.SEE_USAGE, each.pk))
    if nren and not nrens:
        raise NotVisible(f"There is no NREN {shown(nren)} whose report is yours to see.")
    report = Report(month, min(month.ends, now), month.ends <= now, nrens)
    totals = {each.pk: Total(each) for each in nrens}
    by_name = {each.name: totals[each.pk] for each in nrens}
    first: list[Promised] = []
    for one in report.reservations():
        if len(first) < FIRST:
            first.append(one)
        total = by_name[one.nren]
        total.reservations += 1
        total.promised_s += one.promised_s
        total.held_s += one.held_s
        total.changes += one.changes
    used = tuple(_used(report))
    for each in used:
        total = by_name[each.nren]
        total.is_counted = True
        total.sent_bps += each.verdict.sent_bps or 0
        total.dropped_packets += each.dropped_packets or 0
        total.passed_packets += (each.packets or 0) - (each.dropped_packets or 0)
        total.is_at_least = total.is_at_least or each.verdict.is_at_least
    there = tuple(
        total
        for total in totals.values()
        if total.nren.retired_at is None or total.reservations or total.is_counted
    )
    return Report(month, report.until, report.is_over, nrens, there, used, tuple(first))


def _promised(report: Report) -> Iterator[Promised]:
    begins, until = report.month.begins, report.until
    names = {each.pk: each.name for each in report.nrens}
    changes = dict(
        Modification.objects.filter(in_force_at__gte=begins, in_force_at__lt=until, request__nren__in=names)
        .values_list("request")
        .annotate(Number("pk"))
    )
    rows: QuerySet[Any, tuple[Any, ...]] = (
        PremiumRequest.objects.filter(nren__in=names, start__lt=until, reservation__isnull=False)
        .filter(Q(end=None) | Q(end__gt=begins))
        .filter(Q(reservation__released_at=None) | Q(reservation__released_at__gt=begins))
        .order_by("start", "pk")
        .values_list(
            "pk", "nren", "source_link__name", "service_class", "reservation__granted_bps", "start", "end",
            "reservation__put_on_at", "reservation__taken_off_at", "reservation__released_at",
        )
    )  # fmt: skip
    for pk, nren, link, service, rate, start, end, on, off, released in rows.iterator(chunk_size=2000):
        first, last = max(start, begins), min(end or until, until, released or until)
        promised = (last - first).total_seconds()
        if promised <= 0:
            continue
        held = 0.0 if on is None else (min(off or last, last) - max(on, first)).total_seconds()
        yield Promised(
            pk, names[nren], link, service, rate, start, end, promised, max(held, 0.0), changes.get(pk, 0)
        )


def _used(report: Report) -> Iterator[Used]:
    links = dict(
        AccessLink.every.filter(nren__in=[each.pk for each in report.nrens]).values_list("name", "nren__name")
    )
    owners = AccessLink.every.filter(nren__in=[each.pk for each in report.nrens]).values("name")
    found = (
        UsagePeriod.objects.filter(
            span=Span.DAY,
            at__gte=report.month.begins,
            at__lt=report.until,
            series__role="access",
            series__direction="input",
            series__link__in=owners,
        )
        .exclude(series__services=[])
        .values(
            "series__link", "series__router__name", "series__classes", "series__services", "series__header_bytes"
        )
        .annotate(
            counted_s=Sum("seconds"),
            most_bps=Max("reserved_bps"),
            parts=Number("pk", filter=Q(is_at_least=True)),
            **{f"all_{name}": Sum(name) for name in NUMBERS},
        )
        .order_by("series__link", "series__router__name", "series__classes")
    )  # fmt: skip
    rows: Iterable[Any] = found
    for row in rows:
        count = Count(**{name: row[f"all_{name}"] for name in NUMBERS})
        yield Used(
            nren=links[row["series__link"]],
            link=row["series__link"],
            router=row["series__router__name"],
            classes=row["series__classes"],
            services=tuple(row["series__services"]),
            counted_s=row["counted_s"] or 0.0,
            packets=count.packets,
            dropped_packets=count.dropped_packets,
            queue_drops=count.queue_drops,
            verdict=judge(
                count,
                row["counted_s"],
                row["series__header_bytes"],
                row["most_bps"],
                at_least=bool(row["parts"]),
            ),
        )
