"""Imports that move charges of thousands of live reservations, and how long they hold the link locks."""

from __future__ import annotations

import statistics
from pathlib import Path

import yaml

from tests.backbones import Backbone
from tests.benchmarks.imports import import_file, link_locks, wall
from tests.benchmarks.timing import Row

ROUNDS = 3


def moves(made: Backbone, file: Path, live: int) -> list[Row]:
    """The paths of everything live derived again; a metric that is raised a little on a link in the middle, and that of the
    busiest link raised so that everybody leaves it; and how long the links are locked for each.
    """
    from django.db import connection
    from django.db.models import Count, F

    from inventory.models import Domain
    from provisioning.models import LedgerEntry, Reservation
    from provisioning.selectors.network import load_network
    from provisioning.selectors.schemes import scheme_of
    from provisioning.services.topology.deriving import derive

    domain = Domain.objects.get()
    derived = [wall(lambda: derive(domain, load_network(domain), scheme_of(domain))) for _ in range(ROUNDS)]
    rows = [Row(f"paths of {live:,} live derived again", "s", statistics.median(derived))]
    with link_locks() as locked:
        unchanged = [wall(lambda: import_file(file)) for _ in range(ROUNDS)]
    assert len(locked) == ROUNDS
    rows.append(Row(f"unchanged import with {live:,} live", "s", statistics.median(unchanged)))
    rows.append(Row("of that with the links locked", "s", statistics.median(locked)))
    charges = (
        LedgerEntry.objects.filter(link__contains="--")
        .values("link")
        .annotate(Count("pk"))
        .order_by("pk__count")
    )
    ranked = [row["link"] for row in charges]
    for what, link, more in (("median", ranked[len(ranked) // 2], 1), ("busiest", ranked[-1], 100_000)):
        moved, spent, held = [], [], []
        for number in range(ROUNDS):  # away, back, and away again
            plain = made.file()
            (entry,) = (
                each
                for each in plain["core_links"]
                if f"{':'.join(each['a'])}--{':'.join(each['z'])}" == link
            )
            entry["metric"] += more if number % 2 == 0 else 0
            file.write_text(yaml.safe_dump(plain, sort_keys=False), encoding="utf-8")
            before = LedgerEntry.objects.count()
            with link_locks() as locked:
                spent.append(wall(lambda: import_file(file)))
            held += locked
            moving = LedgerEntry.objects.filter(moving_since__isnull=False)
            people = moving.values("request").distinct().count()
            new = LedgerEntry.objects.count() - before
            moved.append(f"{people} moved, {new} charges new, {moving.count()} leaving")
            moving.delete()
            Reservation.objects.filter(moving_to__isnull=False).update(path=F("moving_to"), moving_to=None)
            with connection.cursor() as cursor:
                cursor.execute("VACUUM ANALYZE")
        assert len(held) == ROUNDS
        rows.append(Row(f"metric of the {what} link: {moved[0]}", "s", statistics.median(spent)))
        rows.append(Row("of that with the links locked", "s", statistics.median(held)))
    return rows
