"""Imports that move charges of thousands of live reservations, and how long they hold the link locks."""

from __future__ import annotations

import random
import statistics
from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path
from typing import Any

import yaml

from tests.backbones import Backbone
from tests.benchmarks.imports import import_file, link_locks, wall
from tests.benchmarks.timing import Row

ROUNDS = 3
SEED = 1

Change = Callable[[dict[str, Any]], None]
"""What is done to a network file."""


def moves(made: Backbone, file: Path, live: int) -> list[Row]:
    """The paths of everything live derived again; a metric that is raised a little on a link in the middle, that of the
    busiest link raised so that everybody leaves it, every metric another one, and the busiest link declared down; and how long
    the links are locked for each.
    """
    from django.db.models import Count

    from inventory.models import Domain
    from provisioning.models import SYSTEM, LedgerEntry
    from provisioning.selectors.network import load_network
    from provisioning.selectors.schemes import scheme_of
    from provisioning.services import topology
    from provisioning.services.topology.deriving import derive

    domain = Domain.objects.get()
    derived = [wall(lambda: derive(domain, load_network(domain), scheme_of(domain))) for _ in range(ROUNDS)]
    rows = [Row(f"paths of {live:,} live derived again", "s", statistics.median(derived))]
    with link_locks() as locked:
        unchanged = [wall(lambda: import_file(file)) for _ in range(ROUNDS)]
    rows.append(Row(f"unchanged import with {live:,} live", "s", statistics.median(unchanged)))
    rows.append(_longest([locked]))
    charges = (
        LedgerEntry.objects.filter(link__contains="--")
        .values("link")
        .annotate(Count("pk"))
        .order_by("pk__count")
    )
    ranked = [row["link"] for row in charges]
    busiest = ranked[-1]
    chance = random.Random(SEED)
    changes: dict[str, Change] = {
        "metric of the median link": partial(_raise, ranked[len(ranked) // 2], 1),
        "metric of the busiest link": partial(_raise, busiest, 100_000),
        "every metric": partial(_draw, chance),
    }
    for what, change in changes.items():
        moved, spent, held = [], [], []
        for number in range(ROUNDS):  # away, back, and away again
            plain = made.file()
            if number % 2 == 0:
                change(plain)
            file.write_text(yaml.safe_dump(plain, sort_keys=False), encoding="utf-8")
            before = LedgerEntry.objects.count()
            with link_locks() as locked:
                spent.append(wall(lambda: import_file(file)))
            held.append(locked)
            moved.append(_end_moves(before))
        rows.append(Row(f"{what}: {moved[0]}", "s", statistics.median(spent)))
        rows.append(_longest(held))
    spent, held = [], []
    before = LedgerEntry.objects.count()
    for deed in ("down", "up", "down"):
        with link_locks() as locked:
            spent.append(wall(lambda: topology.declare(actor=SYSTEM, name=busiest, deed=deed, reason="work")))  # type: ignore[arg-type]  # noqa: B023
        held.append(locked)
        said = _end_moves(before)
    rows.append(Row(f"the busiest link declared down or up: {said}", "s", statistics.median(spent)))
    rows.append(_longest(held))
    return rows


def _raise(link: str, more: int, plain: dict[str, Any]) -> None:
    (entry,) = (
        each for each in plain["core_links"] if f"{':'.join(each['a'])}--{':'.join(each['z'])}" == link
    )
    entry["metric"] += more


def _draw(chance: random.Random, plain: dict[str, Any]) -> None:
    """Every link has another metric: from half of its own to twice as much."""
    for entry in plain["core_links"]:
        entry["metric"] = max(1, round(entry["metric"] * chance.uniform(0.5, 2)))


def _longest(held: Sequence[Sequence[float]]) -> Row:
    """How long nobody could decide at most: every transaction meanwhile that locked the links counts by itself."""
    parts = max(len(each) for each in held)
    return Row(
        f"of that with the links locked, at most at a time ({parts} times)",
        "s",
        max(max(each) for each in held),
    )


def _end_moves(before: int) -> str:
    """What moved, in words; then all of it is over."""
    from django.db import connection
    from django.db.models import F

    from provisioning.models import LedgerEntry, Reservation

    moving = LedgerEntry.objects.filter(moving_since__isnull=False)
    people = moving.values("request").distinct().count()
    new = LedgerEntry.objects.count() - before
    said = f"{people:,} moved, {new:,} charges new, {moving.count():,} leaving"
    moving.delete()
    Reservation.objects.filter(moving_to__isnull=False).update(path=F("moving_to"), moving_to=None)
    with connection.cursor() as cursor:
        cursor.execute("VACUUM ANALYZE")
    return said
