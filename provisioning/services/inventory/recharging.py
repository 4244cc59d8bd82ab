"""Another scheme may charge a class elsewhere: every accepted reservation is admitted anew under its rules.

A class charged at the edge alone (@IRS section 2.2.2: AS) holds nothing in the core. Under a scheme that charges it along
its path the core would be given away a second time; the other way round it would be kept from others for nothing.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from datetime import datetime

from django.db.models import Q

from inventory.models import Domain
from provisioning.errors import InvalidInput
from provisioning.models import Actor, LedgerEntry, PremiumRequest
from provisioning.pipeline.admission import Refused, admit, loaded
from provisioning.pipeline.change import RequestState
from provisioning.pipeline.scheme import Scheme
from provisioning.pipeline.timeline import Commitment
from provisioning.pipeline.topology import Direction, LinkDirection, Network
from provisioning.pipeline.units import TimeWindow
from provisioning.selectors.network import load_network
from provisioning.selectors.requests import sls_of
from provisioning.selectors.schemes import scheme_of
from provisioning.services import audit, pairs
from provisioning.services.decisions.capacity import engine_obstacle
from provisioning.services.inventory.rows import RowBook
from provisioning.services.locking import locked

Load = tuple[str, str]
"""(link, direction)."""


@dataclass(frozen=True)
class Recharged:
    """A request whose charges were moved, and what it was and is charged to."""

    request: PremiumRequest
    before: frozenset[Load]
    after: frozenset[Load]


def charge_anew(book: RowBook, domain: Domain, now: datetime) -> list[Recharged]:
    """Bring the ledger to what the domain's scheme charges, and say of each reservation where and when it does not fit.

    Inside the caller's transaction, with every link of the domain locked; the requests are locked here, so that none ends
    while its charges are moved. Reservations are judged in the order in which
    they were admitted, each beside those before it. Nothing is taken from anybody: what no longer fits stays charged.
    Whoever calls this records what it returns, last in the transaction.
    """
    done: list[Recharged] = []
    scheme, network = scheme_of(domain), load_network(domain)
    beside: list[Commitment] = []
    requests = list(_charged(domain))
    keys = [request.pk for request in requests]
    list(locked(PremiumRequest.objects.filter(pk__in=keys).order_by("pk")).values_list("pk"))
    for request in requests:
        rows = _rows(request)
        if not rows:
            continue  # it ended while its lock was waited for
        held = {(row.link, row.direction) for row in rows}
        wanted = _wanted(scheme, network, request, held)
        if wanted != held:
            _recharge(rows, wanted, now)
            _say(book, domain, request, held, wanted)
            done.append(Recharged(request, frozenset(held), frozenset(wanted)))
            for text in _short(scheme, network, request, beside):
                book.remark(
                    "access link",
                    request.source_link.name,
                    f"{request.reference} WOULD BREAK under {scheme.name}: {text}",
                )
        beside += _commitments(request, rows[0], wanted, now)
    return done


def record(actor: Actor, domain: Domain, done: Iterable[Recharged]) -> None:
    """An audit event for each; both NRENs see it."""
    for each in done:
        audit.record(
            actor=actor,
            action="reservation.recharge",
            obj=each.request,
            reason=f"the domain's scheme is {domain.scheme}",
            before={"charged": sorted(f"{link} {way}" for link, way in each.before)},
            after={"charged": sorted(f"{link} {way}" for link, way in each.after)},
            nren_ids=pairs.concerned(each.request),
        )


def _charged(domain: Domain) -> Iterator[PremiumRequest]:
    """Requests that hold capacity, in the order in which it was given."""
    holding = Q(reservation__isnull=False, reservation__released_at=None) | Q(state=RequestState.HELD)
    found = PremiumRequest.objects.filter(holding, nren__domain=domain).select_related(
        "reservation", "source_link", "destination_link", "nren", "receiving_nren"
    )
    ordered = sorted(
        found, key=lambda each: (each.decided_at is None, each.decided_at or each.start, each.pk)
    )
    yield from (request for request in ordered if _rows(request))


def _rows(request: PremiumRequest) -> list[LedgerEntry]:
    return list(LedgerEntry.objects.filter(request=request, released_at=None).order_by("pk"))


def _wanted(scheme: Scheme, network: Network, request: PremiumRequest, held: set[Load]) -> set[Load]:
    """What the scheme charges; what is held where that differs in no more than which path the network has today, and the
    peerings it leaves by with it.

    A class or an end that the scheme cannot promise, and a row that asks nothing, is somebody else's to refuse
    (`stranding`).
    """
    borders = {peering.id for peering in network.peerings}
    try:
        found = {(each.link, each.direction.value) for each in loaded(network, scheme, sls_of(request))}
    except InvalidInput:
        return held
    if not found or (len(found) == 1) == (len(held) == 1):
        return held | {load for load in found if load[0] in borders}
    return found


def _recharge(rows: list[LedgerEntry], wanted: set[Load], now: datetime) -> None:
    held = {(row.link, row.direction) for row in rows}
    gone = [row.pk for row in rows if (row.link, row.direction) not in wanted]
    LedgerEntry.objects.filter(pk__in=gone).update(released_at=now)
    like = rows[0]
    LedgerEntry.objects.bulk_create(
        LedgerEntry(
            reservation=like.reservation,
            hold=like.hold,
            request=like.request,
            link=link,
            direction=direction,
            pool=like.pool,
            rate_bps=like.rate_bps,
            start=like.start,
            end=like.end,
            lapses_at=like.lapses_at,
            exempt="moved by an import",
        )
        for link, direction in sorted(wanted - held)
    )


def _say(book: RowBook, domain: Domain, request: PremiumRequest, held: set[Load], wanted: set[Load]) -> None:
    more, less = (_words(wanted - held), _words(held - wanted))
    text = f"{request.reference} is charged anew under {domain.scheme}:"
    text += f" on {more} too" if more else f" on {less} no more"
    book.remark("access link", request.source_link.name, text)


def _words(loads: set[Load]) -> str:
    return ", ".join(f"{link} {way}" for link, way in sorted(loads))


def _short(
    scheme: Scheme, network: Network, request: PremiumRequest, beside: Iterable[Commitment]
) -> Iterator[str]:
    """Where and when a share is exceeded, for a request that is still promised: one that is over breaks no promise."""
    if request.state not in (RequestState.ADMITTED, RequestState.ACTIVE, RequestState.HELD):
        return
    verdict = admit(network, scheme, sls_of(request), beside, engine_rule=engine_obstacle)
    if isinstance(verdict, Refused):
        yield from (reason.text for reason in verdict.reasons if reason.code == "share-exceeded")


def _commitments(
    request: PremiumRequest, like: LedgerEntry, wanted: set[Load], now: datetime
) -> Iterator[Commitment]:
    # One whose window is over may still be on routers: it counts on without an end.
    end = None if like.end is not None and like.end <= now else like.end
    for link, way in sorted(wanted):
        window = TimeWindow(like.start, end)
        yield Commitment(
            LinkDirection(link, Direction(way)), like.pool, like.rate_bps, window, request.reference
        )
