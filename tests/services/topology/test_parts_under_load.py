"""Eight who decide, withdraw and say that moves are over, while versions are made in parts: nobody waits in a circle, and at no
instant is anybody charged on less than the path of the version that is current.
"""

from __future__ import annotations

import random
import time
from collections.abc import Callable
from pathlib import Path
from threading import Event

import pytest
from django.db import connection, transaction
from django.utils import timezone

from inventory.models import CoreLink, Domain
from provisioning.errors import ExpediteError
from provisioning.models import LedgerEntry, PremiumRequest, StagedVersion
from provisioning.selectors.overcommitment import overcommitted
from provisioning.services import decisions, requests, topology
from provisioning.services.retrying import whole
from tests.services.in_threads import at_once
from tests.services.requests.sixnet import hours, noc, person
from tests.services.topology.diamond import DIAMOND, MBIT, SHARE_BPS, ask, core, network, put
from tests.services.topology.parts import HIGHER, RATE, follows, four_to_move

pytestmark = pytest.mark.django_db(transaction=True)
SECONDS = 6.0
WAYS = {10: (core(0), core(1)), 100: (core(2), core(3))}
"""By the metric of the first link the links from a to d."""


@pytest.fixture
def file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    return four_to_move(tmp_path, monkeypatch)


def test_whoever_decides_meanwhile_meets_both_paths(file: Path) -> None:
    if connection.vendor != "postgresql":
        pytest.skip("SQLite has one writer")
    nora = noc("nora")
    stop = Event()
    files = [network(file.with_name("back.yaml"), DIAMOND), network(file, HIGHER)]
    looked: list[int] = []

    def importing() -> int:
        done, until = 0, time.monotonic() + SECONDS
        try:
            while time.monotonic() < until or done < 4:
                whole(lambda: put(files[done % 2]))  # noqa: B023 - called at once
                done += 1
        finally:
            stop.set()
        return done

    def repeating(deed: Callable[[random.Random], object], seed: int) -> Callable[[], int]:
        def act() -> int:
            dice, done = random.Random(seed), 0
            while not stop.is_set():
                try:
                    whole(lambda: deed(dice))
                    done += 1
                except ExpediteError:  # too much, meanwhile over, being changed
                    pass
            return done

        return act

    def decide(dice: random.Random) -> None:
        source, goal = dice.choice((("a", "d"), ("c", "d"), ("a", "b"), ("d", "a")))
        request = ask(source, goal, dice.choice((RATE, MBIT)), start=hours(1), end=hours(30))
        decisions.admit(actor=nora, request=request, reason="try")

    def leave(dice: random.Random) -> None:
        granted = list(PremiumRequest.objects.filter(state="ADMITTED").order_by("pk"))
        if not granted:
            return
        request = dice.choice(granted)
        asking = person(f"at-{request.source_link.name[1]}", nrens=(request.nren.name,))
        requests.withdraw(actor=asking, request=request, reason="no more")

    def say(dice: random.Random) -> None:
        for request in topology.moving():
            if dice.random() < 0.5:
                topology.path_moved(actor=nora, request=request, reason="seen")

    def look(_dice: random.Random) -> None:
        with transaction.atomic():
            with connection.cursor() as cursor:
                cursor.execute("SET TRANSACTION ISOLATION LEVEL REPEATABLE READ")
            way = set(WAYS[CoreLink.objects.get(name=core(0)).metric])
            for request in PremiumRequest.objects.filter(
                reservation__released_at=None,
                reservation__isnull=False,
                source_link__interface__router__name="a",
                destination_link__interface__router__name="d",
            ):
                rows = LedgerEntry.objects.filter(request=request, released_at=None)
                assert way <= set(rows.values_list("link", flat=True)), request
            looked.append(StagedVersion.objects.count())

    deeds = [decide, decide, decide, leave, leave, say, look]
    said = at_once(importing, *(repeating(each, seed) for seed, each in enumerate(deeds)))
    assert not [each for each in said if isinstance(each, BaseException)], said
    assert sum(looked), "somebody looked between two parts"
    follows()
    past = {
        (each.link, each.direction.value) for each in overcommitted(Domain.objects.get(), now=timezone.now())
    }
    for link in CoreLink.objects.all():
        for way in ("a-z", "z-a"):
            rows = LedgerEntry.objects.filter(link=link.name, direction=way, released_at=None)
            assert (sum(rows.values_list("rate_bps", flat=True)) > SHARE_BPS) == ((link.name, way) in past)
