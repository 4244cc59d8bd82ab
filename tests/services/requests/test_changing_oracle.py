"""Random courses of asking, granting, changing, extending and ending, against a book kept by plain adding up.

The book shares nothing with the service: links and shares are written down here, time is looked at instant by instant. While what
is on a router becomes something else the larger of both counts.
"""

from __future__ import annotations

import random
from collections import Counter
from dataclasses import dataclass, field, replace
from datetime import datetime, timedelta

import pytest
from django.db import transaction
from django.utils import timezone

from inventory.models import Router
from provisioning.models import Actor, Change, LedgerEntry, Modification, PremiumRequest, Reservation
from provisioning.pipeline.admission import Admitted, Refused
from provisioning.services import clock, decisions, ingress, modifications, requests, terms
from provisioning.services.modifications import Modify
from tests.depth import DEEP
from tests.services.requests.sixnet import ASKED, DFN, GRNET, JANET, change_link, janet, noc, person

pytestmark = pytest.mark.once

SHARE = 7_750_000
"""5 % of 155 Mbit/s, on every access link used here; the core has room for all of them."""
RATES = (1_000_000, 2_000_000, 3_500_000, 5_000_000, 7_729_000)
HOURS = 12

Terms = tuple[int, datetime, datetime]
"""bit/s, start, end."""


def on_the_wire(rate: int) -> int:
    """A rate in packets of 1500 bytes with the 4 of POS each, whole bits."""
    return (rate * 1504 + 1499) // 1500


@dataclass
class Kept:
    """One grant as the book has it: what is in force, and what it is becoming on a router."""

    request: PremiumRequest
    ends: tuple[str, str]
    now: Terms
    becoming: Terms | None = None
    on: bool = False
    modification: Modification | None = None

    def at(self, instant: datetime) -> int:
        """What it counts for at an instant: the larger of what is and what is to be."""
        return max(
            rate if start <= instant < end else 0
            for rate, start, end in (self.now, self.becoming or self.now)
        )


@dataclass
class Book:
    dice: random.Random
    base: datetime
    kept: list[Kept] = field(default_factory=list)
    said: Counter[str] = field(default_factory=Counter)

    def instants(self) -> list[datetime]:
        half = timedelta(minutes=30)
        return [self.base + half * step + timedelta(minutes=7) for step in range(2 * HOURS)]

    def load(self, link: str, instant: datetime, without: Kept | None = None) -> int:
        return sum(each.at(instant) for each in self.kept if link in each.ends and each is not without)

    def fits(self, ends: tuple[str, str], wanted: Terms, mine: Kept | None = None) -> bool:
        rate, start, end = wanted
        return all(
            self.load(link, instant, mine) + rate <= SHARE
            and self.wire(ends[0], instant, mine) + on_the_wire(rate) <= SHARE
            for link in ends
            for instant in self.instants()
            if start <= instant < end and instant > timezone.now()
        )

    def wire(self, link: str, instant: datetime, without: Kept | None = None) -> int:
        """What the policer of a link counts that is entered by."""
        entering = (each for each in self.kept if each.ends[0] == link and each is not without)
        return sum(on_the_wire(each.at(instant)) for each in entering)

    def draw(self) -> Terms:
        start = self.dice.randrange(0, HOURS - 2)
        length = self.dice.randrange(1, HOURS - start)
        begin = self.base + timedelta(hours=start)
        return self.dice.choice(RATES), begin, begin + timedelta(hours=length)

    def check(self) -> None:
        """At every instant within the share, and the ledger says what the book says, on every link."""
        rows = list(
            LedgerEntry.objects.filter(released_at=None).values_list(
                "link", "direction", "rate_bps", "start", "end"
            )
        )
        for link, way in ((JANET, "in"), (DFN, "in"), (GRNET, "out")):
            for instant in self.instants():
                counted = self.load(link, instant)
                assert counted <= SHARE, (link, instant)
                assert self.wire(link, instant) <= SHARE, (link, instant)
                charged = sum(
                    rate
                    for name, direction, rate, start, end in rows
                    if (name, direction) == (link, way)
                    and start <= instant
                    and (end is None or instant < end)
                )
                assert charged == counted, (link, instant, charged, counted, self.said)


def put_on(kept: Kept) -> None:
    """As a verified push leaves it."""
    PremiumRequest.objects.filter(pk=kept.request.pk).update(state="ACTIVE")
    Reservation.objects.filter(request=kept.request).update(put_on_at=clock.now())
    kept.on = True


def seen(kept: Kept) -> None:
    """Its router is read with what it was to become."""
    assert kept.modification is not None
    router = Router.objects.get(name=kept.request.source_link.name.split("@")[1].split(":")[0])
    change = Change.objects.create(
        kind="reservation", title="x", scheme="6net", scheme_digest="", template_digest="", intent_digest="",
        modifies={str(kept.request.pk): kept.modification.pk},
    )  # fmt: skip
    change.requests.add(kept.request)
    with transaction.atomic():
        terms.lock_for([kept.modification.pk])
        ingress.note_seen(change, router)
    assert kept.becoming is not None
    kept.now, kept.becoming, kept.modification = kept.becoming, None, None


def one_deed(book: Book) -> None:
    dice = book.dice
    deed = dice.choice(["ask", "ask", "modify", "modify", "extend", "end", "seen", "withdraw", "put-on"])
    if deed == "ask" or not book.kept:
        return _ask(book)
    kept = dice.choice(book.kept)
    kept.request.refresh_from_db()
    if deed == "put-on":
        put_on(kept)
    elif deed == "seen" and kept.modification is not None:
        seen(kept)
    elif deed == "withdraw" and kept.modification is not None:
        modifications.withdraw(actor=noc(), modification=kept.modification, reason="not after all")
        kept.becoming, kept.modification = None, None
    elif deed == "end":
        _end(book, kept)
    elif deed in ("modify", "extend") and kept.modification is None:
        _modify(book, kept, deed)
    book.said[deed] += 1
    return None


def _ask(book: Book) -> None:
    ends = book.dice.choice([(JANET, GRNET), (DFN, GRNET)])
    wanted = book.draw()
    rate, start, end = wanted
    german = person("dieter", nrens=("DFN",))
    mine = {"source_link": DFN, "source_prefixes": ("2001:638:8::/48",)} if ends[0] == DFN else {}
    actor = german if ends[0] == DFN else janet()
    (request,) = requests.submit(actor=actor, data=replace(ASKED, rate=rate, start=start, end=end, **mine))
    verdict = decisions.admit(actor=noc(), request=request, reason="drawn")
    assert isinstance(verdict, Admitted) == book.fits(ends, wanted), (wanted, book.said)
    book.said["granted" if isinstance(verdict, Admitted) else "refused"] += 1
    if isinstance(verdict, Admitted):
        book.kept.append(Kept(request, ends, wanted))


def _modify(book: Book, kept: Kept, deed: str) -> None:
    rate, start, end = kept.now
    new_rate, new_start, new_end = book.draw()
    if deed == "extend":
        if new_end <= end:
            return
        wanted, after = Modify(end=new_end), (rate, start, new_end)
    elif kept.on:
        if new_end <= start:
            return
        wanted, after = Modify(rate=new_rate, end=new_end), (new_rate, start, new_end)
    else:
        wanted, after = Modify(rate=new_rate, start=new_start, end=new_end), (new_rate, new_start, new_end)
    if after == kept.now:
        return
    made = modifications.modify(actor=janet_or(kept), request=kept.request, wanted=wanted, reason="drawn")
    assert made is not None
    if made.state == "IN_FORCE":
        kept.now = after  # an earlier end alone
        return
    verdict = modifications.admit(actor=noc(), modification=made, reason="drawn")
    assert isinstance(verdict, Admitted) == book.fits(kept.ends, after, kept), (kept.now, after, book.said)
    book.said["changed" if isinstance(verdict, Admitted) else "not changed"] += 1
    if isinstance(verdict, Refused):
        modifications.refuse(actor=noc(), modification=made, reason="it does not fit")
    elif made.state == "ADMITTED":
        kept.becoming, kept.modification = after, made
    else:
        kept.now = after


def _end(book: Book, kept: Kept) -> None:
    rate, start, end = kept.now
    at = start + timedelta(hours=book.dice.randrange(1, HOURS))
    if at >= end:
        return
    modifications.end_early(actor=janet_or(kept), request=kept.request, end=at, reason="drawn")
    kept.now = (rate, start, at)
    if kept.becoming is not None:
        kept.becoming = (kept.becoming[0], kept.becoming[1], min(kept.becoming[2], at))


def janet_or(kept: Kept) -> Actor:
    return person("dieter", nrens=("DFN",)) if kept.ends[0] == DFN else janet()


@pytest.mark.usefixtures("six")
@pytest.mark.parametrize("seed", range(100 if DEEP else 8))
def test_the_ledger_is_what_plain_adding_says_after_every_deed(seed: int) -> None:
    change_link(GRNET, standing_consent=True)
    # More than an hour ahead: nothing begins while the test runs, which it once did, across the stroke of an hour.
    base = (timezone.now() + timedelta(hours=2)).replace(minute=0, second=0, microsecond=0)
    book = Book(random.Random(seed), base)
    for _ in range(50):
        one_deed(book)
        book.check()
    assert book.said["granted"] and book.said["changed"] + book.said["not changed"]
