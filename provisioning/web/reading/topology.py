"""The network as it changes, as pages show it."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime

from django.db.models import Min

from provisioning.models import CapacityChange, PremiumRequest, Reservation, TopologyVersion
from provisioning.pipeline.units import how_many, instant_text
from provisioning.selectors.capacity import as_value
from provisioning.selectors.drift import drifting
from provisioning.selectors.ledger import leaving
from provisioning.services.topology import Affected, Detour, Moved, Renewal, Said, words

MOST = 200
"""Lines of one kind on a page."""


@dataclass(frozen=True)
class Effect:
    """What a change does: who moves; ``bad``, who fits no more or has no path; ``good``, who fits again; ``done``, a sentence;
    ``before``, how many stretches do not fit already."""

    moves: tuple[str, ...]
    bad: tuple[str, ...]
    good: tuple[str, ...]
    done: str
    before: int = 0

    @property
    def left_out(self) -> int:
        """Lines that the page has no room for."""
        return sum(max(0, len(each) - MOST) for each in (self.moves, self.bad, self.good))


def effect_of_link(renewal: Renewal, name: str) -> Effect:
    """Return what became, or would become, of a core link that changes."""
    before = set(renewal.over_before)
    said = [str(each) for each in renewal.over if each not in before]
    same = len(renewal.over) - len(said)
    return Effect(
        tuple(_moved(each) for each in renewal.moved),
        (
            *(f"{lost} has no path and stays charged where it was" for lost in renewal.lost),
            *said,
        ),
        (),
        f"{name}: version {renewal.version.number} of the topology, {how_many(len(renewal.moved), 'request')} moved.",
        same,
    )


def effect_of_capacity(said: Said, *, back: bool = False) -> Effect:
    """Return what became, or would become, of a change of capacity, or of one taken back."""
    return Effect(
        (),
        tuple(str(each) for each in said.breaks),
        tuple(f"{each.link} {each.direction}: {', '.join(each.sls_ids)}" for each in said.mends),
        f"{'Taken back: ' if back else ''}{said}. Version {said.renewal.version.number} of the topology.",
    )


def effect_of_work(found: Affected) -> Effect:
    """Return what planned work would do."""
    return Effect(
        tuple(_detour(each, found) for each in found.detours),
        (
            *(f"{each.reference} would have no path" for each in found.cut),
            *(str(each) for each in found.over),
        ),
        (),
        f"{how_many(len(found.references), 'request')} affected.",
    )


def _moved(moved: Moved) -> str:
    taken = words(moved.after - moved.before) or "no other link"
    leaving = f"; {words(moved.leaving)} stays charged until the move is over" if moved.leaving else ""
    return f"{moved.request.reference} takes {taken}{leaving}"


def _detour(detour: Detour, found: Affected) -> str:
    taken = f"{detour.request.reference} takes {words(detour.taken) or 'nothing else'} in place of {words(detour.left)}"
    if detour.window == found.window:  # as long as the work lasts
        return taken
    end = "further notice" if detour.window.end is None else instant_text(detour.window.end)
    return f"{taken}, from {instant_text(detour.window.start)} until {end}"


@dataclass(frozen=True)
class MovingRow:
    """A request that is charged on two paths, since when, and how routers differ from both."""

    request: PremiumRequest
    since: datetime
    drift: str


@dataclass(frozen=True)
class PlannedRow:
    """A change of capacity in words."""

    row: CapacityChange
    text: str


@dataclass(frozen=True)
class NetworkChanges:
    """What the page of the network shows; ``more`` are moving requests that it has no room for."""

    moving: tuple[MovingRow, ...]
    more: int
    drifting: tuple[Reservation, ...]
    planned: tuple[PlannedRow, ...]
    versions: tuple[TopologyVersion, ...]


def network_changes() -> NetworkChanges:
    """Return what moves, what routers do otherwise, what is planned and the last versions."""
    rows = leaving()
    since = dict(rows.values_list("request").annotate(Min("moving_since")).order_by("request")[:MOST])
    count = rows.values("request").distinct().count()
    asked = PremiumRequest.objects.filter(pk__in=since).select_related(
        "nren", "receiving_nren", "reservation"
    )
    planned = CapacityChange.objects.filter(taken_back_at=None).order_by("start", "pk")[:MOST]
    return NetworkChanges(
        tuple(MovingRow(each, since[each.pk], _drift(each)) for each in asked.order_by("pk")),
        max(0, count - len(since)),
        tuple(drifting()[:MOST]),
        tuple(PlannedRow(row, str(as_value(row))) for row in planned),
        tuple(TopologyVersion.objects.order_by("-pk")[:10]),
    )


def _drift(request: PremiumRequest) -> str:
    reservation = getattr(request, "reservation", None)
    return "" if reservation is None else reservation.drift
