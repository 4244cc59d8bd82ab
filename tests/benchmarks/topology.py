"""754 routers and 899 core links on PostgreSQL: import, paths, and every single failure of 10,000 live reservations."""

from __future__ import annotations

import json
import os
import random
import statistics
import sys
import tempfile
import time
from collections.abc import Callable
from dataclasses import asdict
from datetime import timedelta
from pathlib import Path

import yaml

from tests.backbones import Backbone, backbone
from tests.benchmarks.fresh_process import measured_by
from tests.benchmarks.imports import import_file, wall
from tests.benchmarks.moves import moves
from tests.benchmarks.timing import Row
from tests.run import install_missing, postgresql

LIVE = int(os.environ.get("LIVE", "10000"))
ROUNDS = 3
PAIRS = 2000
VIEWS = 30
RATE = 1_000_000
SEED = 1


def run() -> list[Row]:
    """Wall seconds on PostgreSQL, medians of some rounds; all pairs in seconds of CPU beside networkx in the same run."""
    install_missing()
    with tempfile.TemporaryDirectory(prefix="expedite-bench-") as name, postgresql(Path(name)) as url:
        found = measured_by("tests.benchmarks.topology", name, directory=Path(name), url=url)
    return [Row(**row) for row in found]


def measure(directory: Path) -> list[Row]:
    """On the empty database that the environment names."""
    from django.core.management import call_command

    call_command("migrate", verbosity=0)
    made = backbone(SEED)
    rows = _told(_paths(made))
    _say("paths")
    file = directory / "backbone.yaml"
    rows += _told(_imports(made, file))
    _say("imports")
    _reserve(made)
    _say(f"{LIVE:,} reservations written")
    rows += _told(_failures())
    _say("failures")
    rows += _told(moves(made, file, LIVE))
    return rows


def _told(rows: list[Row]) -> list[Row]:
    """The rows, said at once too: the next ones take minutes."""
    for row in rows:
        _say(f"  {row.name}: {row.ours:.4g} {row.unit} {row.peers or ''}")
    return rows


def _say(what: str) -> None:
    print(f"{what}, load {os.getloadavg()[0]:.1f}", file=sys.stderr, flush=True)


def _cpu(deed: Callable[[], object]) -> float:
    began = time.process_time()
    deed()
    return time.process_time() - began


def _paths(made: Backbone) -> list[Row]:
    """All pairs with the sets of equal cost, and single paths on a network that nothing is known of yet."""
    import networkx

    from provisioning.pipeline.topology import graph_of, path
    from provisioning.pipeline.topology.trees import tree
    from tests.pipeline.networks import sls

    graph = networkx.MultiGraph()
    graph.add_weighted_edges_from((a, z, metric) for a, z, metric in made.links)

    def ours() -> None:
        known = graph_of(made.network())
        for start in range(len(known.names)):
            tree(known, start)

    def theirs() -> None:
        for start in graph:
            networkx.dijkstra_predecessor_and_distance(graph, start)

    both = [(_cpu(ours), _cpu(theirs)) for _ in range(ROUNDS)]
    chance = random.Random(SEED)
    network, spent, hops = made.network(), [], []
    for _ in range(PAIRS):
        a, z = chance.sample(made.edges, 2)
        asked = sls(f"N{a}@{made.name(a)}:POS1/0", f"N{z}@{made.name(z)}:POS1/0", 1)
        began = time.perf_counter()
        hops.append(len(path(network, asked).hops) - 2)
        spent.append(time.perf_counter() - began)
    ordered = sorted(spent)
    return [
        Row(
            "all pairs, every equal cost way (CPU)",
            "s",
            statistics.median(each for each, _ in both),
            {"networkx": statistics.median(each for _, each in both)},
        ),
        Row(f"one path of {statistics.mean(hops):.1f} hops, mean", "ms", statistics.mean(spent) * 1000),
        Row("one path, 99th percentile", "ms", ordered[int(len(ordered) * 0.99)] * 1000),
    ]


def _imports(made: Backbone, file: Path) -> list[Row]:
    from provisioning.selectors import topology

    file.write_text(yaml.safe_dump(made.file(), sort_keys=False), encoding="utf-8")
    first = wall(lambda: import_file(file))
    again = []
    for _ in range(ROUNDS):
        topology.forget()
        again.append(wall(lambda: import_file(file)))
    return [
        Row("import of an empty database", "s", first),
        Row("unchanged import again, nothing kept", "s", statistics.median(again)),
    ]


def _reserve(made: Backbone) -> None:
    """Reservations of two days on average within a month, between random ends, charged as admission charges them; past the
    services, in bulk.
    """
    from django.db import connection
    from django.utils import timezone

    from inventory.models import AccessLink
    from provisioning.models import SYSTEM, LedgerEntry, PremiumRequest, Reservation
    from provisioning.pipeline.topology import path
    from provisioning.services import people
    from tests.pipeline.networks import sls

    person = people.put_person(actor=SYSTEM, username="asks", nrens=[])
    links = {
        link.interface.router.name: link for link in AccessLink.objects.select_related("interface__router")
    }
    chance, network, now = random.Random(SEED + 1), made.network(), timezone.now()
    asked, paths = [], []
    for _ in range(LIVE):
        ends = chance.sample(made.edges, 2)
        a, z = (links[made.name(number)] for number in ends)
        start = now - timedelta(days=1) + timedelta(days=30) * chance.random()
        end = max(start, now) + timedelta(minutes=5) + timedelta(days=chance.expovariate(0.5))
        asked.append(
            PremiumRequest(
                nren_id=a.nren_id,
                receiving_nren_id=z.nren_id,
                source_link=a,
                destination_link=z,
                service_class="ip-premium",
                rate_bps=RATE,
                bucket_bytes=6000,
                max_packet_bytes=1500,
                start=start,
                end=end,
                source_prefixes=[f"2001:db8:{ends[0] + 1:x}::/48"],
                destination_prefixes=[f"2001:db8:{ends[1] + 1:x}::/48"],
                contact="x",
                submitted_by=person,
                state="ADMITTED",
                consent="standing",
                decided_at=now,
            )
        )
        paths.append(path(network, sls(a.name, z.name, RATE)))
    requests = PremiumRequest.objects.bulk_create(asked, batch_size=1000)
    held = Reservation.objects.bulk_create(
        [
            Reservation(
                request=request,
                granted_bps=RATE,
                path=[{"link": hop.link, "direction": hop.direction.value} for hop in found.hops],
                topology=1,
            )
            for request, found in zip(requests, paths, strict=True)
        ],
        batch_size=1000,
    )
    with connection.cursor() as cursor:
        cursor.execute("SET session_replication_role = replica")  # no witness: these rows are ours
        LedgerEntry.objects.bulk_create(
            (
                LedgerEntry(
                    reservation=each,
                    request=each.request,
                    link=load.link,
                    direction=load.direction.value,
                    pool="ip-premium",
                    rate_bps=RATE,
                    start=each.request.start,
                    end=each.request.end,
                )
                for each, found in zip(held, paths, strict=True)
                for load in found.loads
            ),
            batch_size=5000,
        )
        cursor.execute("SET session_replication_role = origin")
        cursor.execute("VACUUM ANALYZE")


def _failures() -> list[Row]:
    from django.utils import timezone

    from inventory.models import CoreLink, Domain
    from provisioning.models import Job, JobKind
    from provisioning.pipeline.topology import Failure
    from provisioning.selectors.failures import effect_of
    from provisioning.services import jobs

    domain = Domain.objects.get()
    (job,) = jobs.enqueue(JobKind.FAILURES, [domain.pk])
    spent = wall(lambda: jobs.run(job_id=job.pk, worker="bench"))
    job.refresh_from_db()
    _say(job.outcome)
    assert job.state == "done", Job.objects.get(pk=job.pk).outcome
    names = random.Random(SEED).sample(sorted(CoreLink.objects.values_list("name", flat=True)), VIEWS)
    views = sorted(
        wall(lambda name=name: effect_of(domain, Failure("link", name), now=timezone.now())) for name in names
    )
    return [
        Row(f"all single failures of {LIVE:,} live, as a job", "s", spent),
        Row("one failure's view, median of 30 links", "s", statistics.median(views)),
        Row("one failure's view, the slowest of 30", "s", views[-1]),
    ]


if __name__ == "__main__":
    import django

    django.setup()
    print(json.dumps([asdict(row) for row in measure(Path(sys.argv[1]))]))
