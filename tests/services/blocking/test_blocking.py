"""Blocking of Poisson traffic through submit and admit: equal to a plain counter decision by decision, and to Kaufman-Roberts."""

from __future__ import annotations

import json
import os
from dataclasses import replace
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
from django.utils import timezone

from provisioning.models import PremiumRequest, Via
from provisioning.pipeline.admission import Admitted
from provisioning.services import decisions, people, requests
from tests.services.blocking.traffic import (
    UNIT_BPS,
    UNITS,
    Arrival,
    Estimate,
    Kind,
    arrivals,
    batch_means,
    counted,
    estimate_of,
    estimates,
    kaufman_roberts,
    offered,
)
from tests.services.requests.sixnet import ASKED, person
from tests.services.topology.diamond import SHARE_BPS, access, network, put, someone

LOAD = 0.8
SEED = 19810117
ARRIVALS = int(os.environ.get("ARRIVALS", "20000"))
PARTS, BATCHES = 4, 40


def within(kinds: tuple[Kind, ...], found: tuple[Estimate, ...]) -> list[tuple[float, float, float]]:
    """(Kaufman-Roberts, measured, half of the interval) of each kind that lies outside of its interval."""
    wanted = kaufman_roberts(kinds)
    return [
        (exact, each.blocked, each.within)
        for exact, each in zip(wanted, found, strict=True)
        if abs(exact - each.blocked) > each.within
    ]


def through_the_services(kinds: tuple[Kind, ...], wishes: list[Arrival]) -> list[bool]:
    """Whether each was admitted, asked for and decided one after another; who does not fit goes away and is undecided."""
    assert UNITS * UNIT_BPS == SHARE_BPS
    someone()
    noc = people.actor_named("nora", via=Via.CLI)
    asking = person("asks", nrens=("Na",))
    asked = replace(
        ASKED,
        source_link=access("a"),
        destination_link=access("b"),
        source_prefixes=("2001:db8:100::/48",),
        destination_prefixes=("2001:db8:200::/48",),
    )
    let_in = []
    for wish in wishes:
        rate = kinds[wish.kind].units * UNIT_BPS
        (row,) = requests.submit(actor=asking, data=replace(asked, rate=rate, start=wish.start, end=wish.end))
        verdict = decisions.admit(actor=noc, request=row, reason="as it comes")
        let_in.append(isinstance(verdict, Admitted))
    return let_in


def test_the_counter_blocks_as_kaufman_and_roberts_say() -> None:
    begin = timezone.now()
    for load in (0.5, LOAD, 1.2):
        kinds = offered(load)
        wishes = list(arrivals(kinds, 30_000, begin=begin, seed=SEED))
        assert within(kinds, estimates(kinds, wishes, list(counted(kinds, wishes)), batches=40)) == []


def test_kaufman_roberts_of_one_kind_is_erlang() -> None:
    blocked = 1.0
    for servers in range(1, UNITS + 1):  # Erlang's recursion, of 12 erlang
        blocked = 12 * blocked / (servers + 12 * blocked)
    assert kaufman_roberts([Kind(1, 12.0)]) == pytest.approx((blocked,))


@pytest.mark.once
@pytest.mark.django_db
def test_decisions_are_those_of_a_plain_counter(tmp_path: Path) -> None:
    put(network(tmp_path / "network.yaml", (("a", "b", 10),), routers="ab"))
    kinds = offered(1.2)
    wishes = list(arrivals(kinds, 120, begin=timezone.now() + timedelta(days=1), seed=SEED))
    let_in = through_the_services(kinds, wishes)
    assert let_in == list(counted(kinds, wishes))
    assert 10 < let_in.count(False) < 100


@pytest.mark.once
@pytest.mark.deep
@pytest.mark.django_db(transaction=True)
@pytest.mark.parametrize("part", range(PARTS))
def test_twenty_thousand_are_blocked_as_kaufman_and_roberts_say(
    tmp_path: Path, tmp_path_factory: pytest.TempPathFactory, part: int
) -> None:
    """In parts that run side by side, each on a network of its own, in a time of its own, with a seed of its own."""
    put(network(tmp_path / "network.yaml", (("a", "b", 10),), routers="ab"))
    kinds, count = offered(LOAD), ARRIVALS // PARTS
    wishes = list(arrivals(kinds, count, begin=timezone.now() + timedelta(days=1), seed=SEED + part))
    let_in = through_the_services(kinds, wishes)
    assert let_in == list(counted(kinds, wishes))
    assert PremiumRequest.objects.count() == count
    assert PremiumRequest.objects.filter(state="ADMITTED").count() == let_in.count(True)
    found = {"count": count, "means": batch_means(kinds, wishes, let_in, batches=BATCHES // PARTS)}
    _all_parts(kinds, found, _shared(tmp_path_factory), part)


def _shared(directories: pytest.TempPathFactory) -> Path:
    """A directory of this run alone, which all its processes see."""
    run = os.environ.get("PYTEST_XDIST_TESTRUNUID", str(os.getpid()))
    there = directories.getbasetemp().parent / f"blocking-{run}"
    there.mkdir(exist_ok=True)
    return there


def _all_parts(kinds: tuple[Kind, ...], found: dict[str, Any], shared: Path, part: int) -> None:
    """Who is done last holds all parts together against the formula."""
    (shared / f"{part}.json").write_text(json.dumps(found))
    parts = [json.loads(path.read_text()) for path in sorted(shared.glob("*.json"))]
    if len(parts) < PARTS:
        return
    each = tuple(
        estimate_of([mean for one in parts for mean in one["means"][number]]) for number in range(len(kinds))
    )
    said = {
        "arrivals": sum(one["count"] for one in parts),
        "load": LOAD,
        "kinds": [
            {"units": kind.units, "formula": exact, "blocked": one.blocked, "within": one.within}
            for kind, exact, one in zip(kinds, kaufman_roberts(kinds), each, strict=True)
        ],
    }
    if into := os.environ.get("BLOCKING"):
        Path(into).write_text(json.dumps(said, indent=2) + "\n")
    print(json.dumps(said))
    assert within(kinds, each) == []
