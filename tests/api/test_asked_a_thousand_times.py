"""Somebody with the token of an NREN asks a thousand times, and does not learn another's sum better than the grid of the scheme.

The attacker searches by halves, through every door: what-if of one way and both, series, requests that the NOC refuses, offers,
changes of what it holds, ranges, the form of the portal and the command. What it holds itself makes the room for it differ from
hour to hour, and planned work the share, so that a grid with one phase would be seen through. It is asked against two books in
which another's sum lies at the two ends of one step: each answer has to be the same, byte by byte.
"""

from __future__ import annotations

import json
import random
import re
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import timedelta
from io import StringIO
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.core.management import call_command
from django.core.management.base import CommandError
from django.db import transaction
from django.test import Client

from provisioning.models import SYSTEM, LedgerEntry, PremiumRequest, Via
from provisioning.pipeline.topology import LinkCapacity
from provisioning.pipeline.units import TimeWindow
from provisioning.selectors.schemes import load_scheme
from provisioning.services import clock, decisions, people, topology
from provisioning.web.views import headroom
from tests.api.conftest import START, Speaker, asked
from tests.depth import DEEP

pytestmark = pytest.mark.once

URL = "/api/v1/premium-requests/"
DFN, GRNET, JANET = "DFN@de6:POS1/0", "GRNET@gr6:POS2/0", "JANET@uk6:POS1/0"
TELLING = load_scheme("6net").telling
STEP, GRID = TELLING.rates_in_bps, TELLING.others_in_bps
SHARE = 7_750_000
QUESTIONS = 500 if DEEP else 180
"""Of each book: a thousand with DEEP=1."""
HOURS = 6
"""Of each the attacker holds something else; in the last the share is another."""
ANY = re.compile(
    r'"(id|request|twin|instance|reference|record|topology|(submitted|decided|consent|proposed)_at)":("[^"]*"|\d+|null)'
    r"|(PIP|MOD|SER)-\d+"
)
"""What differs from one time to the next whatever is asked: numbers of rows, and when they were made."""


@dataclass
class Attacker:
    """Asks, and remembers every answer; `low` and `high` are what it believes of the sum of others, bit/s."""

    speaker: Speaker
    portal: Client
    noc: Speaker
    rng: random.Random
    held: list[PremiumRequest]
    answers: list[str] = field(default_factory=list)
    low: int = 0
    high: int = SHARE

    def ask(self, path: str, body: Any, method: str = "POST") -> dict[str, Any]:
        """Return the answer, which is remembered."""
        answer = self.speaker.send(method, path, body)
        text = answer.content.decode()
        self.answers.append(f"{answer.status_code} {ANY.sub('', text)}")
        found: dict[str, Any] = json.loads(text)
        return found

    def wish(self, hour: int, bps: int, **changes: Any) -> dict[str, Any]:
        return asked(
            **{
                "source_link": DFN,
                "source_prefixes": ["2001:638:1::/48"],
                "destination_link": GRNET,
                "destination_prefixes": ["2001:648:2::/48"],
                "rate_bps": bps,
                "start": at(hour).isoformat(),
                "end": at(hour + 1).isoformat(),
            }
            | changes
        )

    def room(self, hour: int) -> int:
        """What nobody else would leave it in that hour, as far as it knows by itself."""
        share = ODD_SHARE if hour == HOURS - 1 else SHARE
        return share - sum(row.rate_bps for row in self.held if row.start <= at(hour) < (row.end or at(99)))

    def search(self, hour: int) -> None:
        """Halve what is believed of the sum, by what-if, in one hour."""
        low, high = 0, self.room(hour) // STEP
        while low < high:
            middle = (low + high + 1) // 2
            fits = self.ask(f"{URL}what-if/", self.wish(hour, middle * STEP))["verdict"] == "admitted"
            low, high = (middle, high) if fits else (low, middle - 1)
        self.low = max(self.low, self.room(hour) - (low + 1) * STEP)
        self.high = min(self.high, self.room(hour) - low * STEP)

    def guess(self) -> None:
        """Ask in some other way, near what it believes."""
        hour = self.rng.randrange(HOURS)
        near = self.room(hour) - self.high + self.rng.randrange(-800, 800) * STEP
        bps = max(near // STEP * STEP, STEP)
        getattr(self, self.rng.choice(self.WAYS))(hour, bps)

    WAYS = ("_both", "_longer", "_series", "_refused", "_changed", "_offer", "_page", "_command", "_between")

    def _both(self, hour: int, bps: int) -> None:
        self.ask(f"{URL}what-if/", self.wish(hour, bps, direction="both"))

    def _longer(self, hour: int, bps: int) -> None:
        """A window that begins and ends between the hours."""
        start = at(hour) + timedelta(seconds=self.rng.randrange(3600))
        self.ask(
            f"{URL}what-if/",
            self.wish(hour, bps, start=start.isoformat(), end=(start + timedelta(minutes=59)).isoformat()),
        )

    def _between(self, hour: int, bps: int) -> None:
        self.ask(f"{URL}what-if/", self.wish(hour, bps + self.rng.randrange(1, STEP)))

    def _series(self, hour: int, bps: int) -> None:
        again = {"rrule": "FREQ=DAILY;COUNT=2", "time_zone": "UTC"}
        self.ask("/api/v1/series/what-if/", self.wish(hour, bps, recurrence=again))

    def _refused(self, hour: int, bps: int) -> None:
        """What is refused without a look at what would fit."""
        made = self.ask(URL, self.wish(hour, bps))
        self.noc.post(f"{URL}{made['id']}/refuse/", {"reason": "no"}, status=200)
        self.ask(f"{URL}{made['id']}/", None, "GET")
        self.ask(f"{URL}{made['id']}/take-offer/", {"kind": "lower-rate"})

    def _offer(self, hour: int, bps: int) -> None:
        """An offer that it makes up itself."""
        wish = self.wish(hour, bps + 4_000_000)
        made = self.ask(URL, wish)
        made_up = {"kind": "lower-rate", "rate_bps": bps, "start": wish["start"], "end": wish["end"]}
        self.ask(f"{URL}{made['id']}/take-offer/", made_up)
        self.ask(f"{URL}{made['id']}/withdraw/", {"reason": "enough"})

    def _changed(self, hour: int, bps: int) -> None:
        row = self.rng.choice(self.held)
        self.ask(f"{URL}{row.pk}/modify-what-if/", {"rate_bps": row.rate_bps + bps})
        self.ask(f"{URL}{row.pk}/range/", None, "GET")
        self.ask(f"{URL}{row.pk}/", None, "GET")

    def _page(self, hour: int, bps: int) -> None:
        wish = self.wish(hour, bps)
        said = {
            **{name: wish[name] for name in ("source_link", "destination_link", "bucket_bytes", "contact")},
            "max_packet_bytes": 1500,
            "service_class": "ip-premium",
            "direction": "one-way",
            "rate": f"{bps // 1000}k",
            "start": at(hour).strftime("%Y-%m-%dT%H:%M"),
            "end": at(hour + 1).strftime("%Y-%m-%dT%H:%M"),
            "source_prefixes": "2001:638:1::/48",
            "destination_prefixes": "2001:648:2::/48",
            "try": "1",
        }
        page = self.portal.post("/my/ask/", said)
        text = re.sub(r"<!--.*?-->|\s+", " ", page.content.decode())
        found = re.search(r'id="verdict".*', text)
        assert found, "the page tells whether it would fit"
        self.answers.append(
            re.sub(r'(csrfmiddlewaretoken" value|nonce)="[^"]*"|Now [-\d]+ [\d:]+', "", found[0])
        )

    def _command(self, hour: int, bps: int) -> None:
        out = StringIO()
        options = {"start": at(hour), "end": at(hour + 1), "source_prefixes": ["2001:638:1::/48"]}
        options |= {"destination_prefixes": ["2001:648:2::/48"]}
        try:
            call_command(
                "what_if",
                "--as",
                "dfn",
                "--from",
                DFN,
                "--to",
                GRNET,
                "--rate",
                f"{bps}",
                stdout=out,
                **options,
            )
        except CommandError as error:
            out.write(str(error))
        self.answers.append(out.getvalue())


def at(hour: float) -> Any:
    return START.replace(minute=0, second=0) + timedelta(days=2, hours=hour)


ODD_SHARE = int(5 * 123_456_789 / 100)


def held(
    speakers: dict[str, Speaker], who: str, bps: int, start: float, end: float, **changes: Any
) -> PremiumRequest:
    """A request that was granted."""
    body = asked(rate_bps=bps, start=at(start).isoformat(), end=at(end).isoformat(), **changes)
    made = speakers[who].post(URL, body)
    PremiumRequest.objects.filter(pk=made["id"]).update(consent="given")
    found = PremiumRequest.objects.get(pk=made["id"])
    decisions.admit(actor=people.actor_named("the-noc", via=Via.CLI), request=found, reason="fits")
    found.refresh_from_db()
    assert found.state == "ADMITTED", found.state
    return found


@contextmanager
def undone() -> Iterator[None]:
    """What is done in it is as if it had not been."""
    with transaction.atomic():
        yield
        transaction.set_rollback(True)


@pytest.fixture
def book(speakers: dict[str, Speaker]) -> tuple[PremiumRequest, list[PremiumRequest]]:
    """What JANET holds towards GRNET all the time, whose rate is the secret, and what DFN holds there from hour to hour."""
    secret = held(speakers, "JANET", 1_000_000, -1, HOURS + 48)
    sent = {"source_link": DFN, "source_prefixes": ["2001:638:1::/48"]}
    mine = [
        held(speakers, "DFN", bps, hour, hour + 1, **sent)
        for hour, bps in ((1, 8_000), (2, 137_000), (3, 255_000), (4, 491_000))
    ]
    planned = LinkCapacity(GRNET, 123_456_789, TimeWindow(at(HOURS - 1), at(HOURS)))
    topology.change_capacity(actor=SYSTEM, domain=secret.nren.domain, planned=planned, reason="work")
    return secret, mine


def attack(
    speakers: dict[str, Speaker], mine: list[PremiumRequest], portal: Client, *, questions: int, seed: int
) -> Attacker:
    attacker = Attacker(speakers["DFN"], portal, speakers["noc"], random.Random(seed), mine)
    for hour in range(HOURS):
        attacker.search(hour)
    while len(attacker.answers) < questions:
        attacker.guess()
    return attacker


@pytest.fixture
def one_moment(db: None, monkeypatch: pytest.MonkeyPatch) -> None:
    """Both books are asked at the same moment: an answer may tell what time it is."""
    moment = clock.now()
    monkeypatch.setattr(clock, "now", lambda: moment)


def set_secret(secret: PremiumRequest, bps: int) -> None:
    LedgerEntry.objects.filter(request=secret).update(rate_bps=bps)
    PremiumRequest.objects.filter(pk=secret.pk).update(rate_bps=bps)


@pytest.mark.usefixtures("one_moment")
@pytest.mark.parametrize("seed", [1, pytest.param(2, marks=pytest.mark.deep)])
def test_a_thousand_questions_find_no_sum_within_the_grid(
    speakers: dict[str, Speaker],
    book: tuple[PremiumRequest, list[PremiumRequest]],
    client: Client,
    monkeypatch: pytest.MonkeyPatch,
    seed: int,
) -> None:
    monkeypatch.setattr(headroom, "A_MINUTE", 10 * QUESTIONS)  # all of it is one minute here
    secret, mine = book
    client.force_login(User.objects.get(username="dfn"))
    cell = random.Random(seed).randrange(1, 9) * GRID
    asked_of: list[Attacker] = []
    for bps in (cell - GRID + 1, cell):
        with undone():
            set_secret(secret, bps)
            asked_of.append(attack(speakers, mine, client, questions=QUESTIONS, seed=seed))
    lowest, highest = asked_of
    assert len(lowest.answers) + len(highest.answers) >= 2 * QUESTIONS
    for number, (one, other) in enumerate(zip(lowest.answers, highest.answers, strict=True)):
        place = next((at for at, (a, b) in enumerate(zip(one, other, strict=False)) if a != b), 0)
        assert one == other, (
            f"question {number}: {one[place - 300 : place + 100]} / {other[place : place + 100]}"
        )
    assert not any(answer.startswith("429") for answer in highest.answers)
    # So both, and all between them, are what it has to reckon with: `GRID` sums. What it finds is the step they end at.
    assert highest.low < cell <= highest.high < cell + GRID


def test_the_attacker_finds_what_the_grid_does_tell(
    speakers: dict[str, Speaker], book: tuple[PremiumRequest, list[PremiumRequest]], client: Client
) -> None:
    """It is no test of an attacker who is blind: the next step is found at once, and so is each bit where nothing is rounded."""
    secret, mine = book
    client.force_login(User.objects.get(username="dfn"))
    found = []
    for bps in (3 * GRID, 3 * GRID + 1):
        with undone():
            set_secret(secret, bps)
            found.append(attack(speakers, mine, client, questions=0, seed=3))
    first, second = found
    assert first.answers != second.answers
    assert (first.high, second.high) == (3 * GRID, 4 * GRID)
