"""What an import moves, and who no longer fits: reservation, link, interval and shortfall. It is said, and nothing is dropped."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping
from datetime import datetime

from inventory.models import AccessLink, Domain, Peering
from provisioning.pipeline.admission import Overcommitment, Refused, admit
from provisioning.pipeline.scheme import Scheme
from provisioning.pipeline.states import RequestState
from provisioning.pipeline.timeline import Commitment
from provisioning.pipeline.topology import Network
from provisioning.selectors.ledger import commitments
from provisioning.selectors.requests import sls_of
from provisioning.services.decisions.capacity import engine_obstacle
from provisioning.services.inventory.rows import RowBook
from provisioning.services.topology.deriving import live
from provisioning.services.topology.recharging import Moved

# One that is over breaks no promise.
_PROMISED = (RequestState.ADMITTED, RequestState.ACTIVE, RequestState.HELD)


def note_moved(
    book: RowBook, domain: Domain, moved: Iterable[Moved], texts: Mapping[int, Iterable[str]]
) -> None:
    """Say of each request whose charges changed what it is charged to, and what of it does not fit there (`broken`)."""
    done = list(moved)
    for each in done:
        book.remark("access link", each.request.source_link.name, str(each))
    for each in done:
        for text in texts.get(each.request.pk, ()):
            book.remark(
                "access link",
                each.request.source_link.name,
                f"{each.request.reference} WOULD BREAK under {domain.scheme}: {text}",
            )


def broken(
    domain: Domain,
    network: Network,
    scheme: Scheme,
    moved: Iterable[Moved],
    over: Collection[str],
    now: datetime,
) -> dict[int, tuple[str, ...]]:
    """By the key of each of these requests where and when it does not fit, judged in the order in which they were admitted, each
    beside those before it; ``over`` are the links where somebody no longer fits.
    """
    asked, links = list(moved), set(over)
    found: dict[int, tuple[str, ...]] = {each.request.pk: () for each in asked}
    for each, text in _broken(domain, network, scheme, asked, links, now):
        found[each.request.pk] += (text,)
    return found


def _broken(
    domain: Domain, network: Network, scheme: Scheme, moved: list[Moved], over: set[str], now: datetime
) -> Iterator[tuple[Moved, str]]:
    doubtful = [
        each for each in moved if each.request.state in _PROMISED and over & {link for link, _ in each.after}
    ]
    if not doubtful:
        return
    order = {request.reference: index for index, request in enumerate(live(domain))}
    doubtful = [each for each in doubtful if each.request.reference in order]  # not who ended meanwhile
    # Elsewhere all of it fits, so part of it does.
    held: dict[str, list[tuple[int, Commitment]]] = defaultdict(list)
    for one in commitments(now=now, links=over & {link for each in doubtful for link, _ in each.after}):
        held[one.link_direction.link].append((order.get(one.sls_id, len(order)), one))
    for each in doubtful:
        own, asked = order[each.request.reference], sls_of(each.request)
        links = {link for link, _ in each.after}
        beside = [
            one
            for link in links & held.keys()
            for index, one in held[link]
            if index < own and one.window.overlaps(asked.window)
        ]
        verdict = admit(network, scheme, asked, beside, engine_rule=engine_obstacle)
        if isinstance(verdict, Refused):
            yield from ((each, reason.text) for reason in verdict.reasons if reason.code == "share-exceeded")


def note_overcommitment(book: RowBook, domain: Domain, over: Iterable[Overcommitment]) -> None:
    """Add a remark to each link whose share is now smaller than what reservations and holds have of it."""
    access = set(AccessLink.objects.filter(nren__domain=domain).values_list("name", flat=True))
    borders = set(Peering.objects.filter(domain=domain).values_list("name", flat=True))
    for found in over:
        kind = "access link" if found.link in access else "peering" if found.link in borders else "core link"
        book.remark(kind, found.link, f"NO LONGER FITS: {found}")
