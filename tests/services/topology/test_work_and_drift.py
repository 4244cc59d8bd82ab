"""What planned work would do is said before; paths as routers have them are compared with those that are charged."""

from __future__ import annotations

import io
import json
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
from django.core.management import CommandError, call_command

from inventory.models import CoreLink, Domain
from provisioning.errors import InvalidInput, NotPermitted
from provisioning.models import SYSTEM, LedgerEntry, PremiumRequest, Reservation, TopologyVersion
from provisioning.pipeline.admission import Admitted
from provisioning.pipeline.units import TimeWindow
from provisioning.services import clock, decisions, topology
from tests.services.requests.sixnet import hours, noc, person
from tests.services.topology.diamond import DIAMOND, MBIT, Core, ask, core, network, put

pytestmark = pytest.mark.django_db
AB, BD, AC, CD = (core(place) for place in range(4))


@pytest.fixture(autouse=True)
def file(tmp_path: Path) -> Path:
    put(network(tmp_path / "network.yaml", DIAMOND))
    return tmp_path / "network.yaml"


def grant(source: str, goal: str, rate: int, **changes: Any) -> PremiumRequest:
    request = ask(source, goal, rate, **changes)
    assert isinstance(decisions.admit(actor=noc(), request=request, reason="fits"), Admitted)
    return request


def affected(start: float, end: float | None, *links: str) -> topology.Affected:
    window = TimeWindow(hours(start), None if end is None else hours(end))
    return topology.affected(Domain.objects.get(), links or (AB,), window)


def command(name: str, *args: str) -> tuple[int, str]:
    out = io.StringIO()
    try:
        call_command(name, *args, stdout=out)
    except SystemExit as ended:
        return int(ended.code or 0), out.getvalue()
    return 0, out.getvalue()


def test_planned_work_says_who_moves_who_does_not_fit_and_for_how_long() -> None:
    mover = grant("a", "d", 3 * MBIT, start=hours(1), end=hours(50))
    there = grant("c", "d", 2 * MBIT, start=hours(20), end=hours(60))
    grant("a", "d", MBIT, start=hours(1), end=hours(9))  # over before the work
    rows = LedgerEntry.objects.count()
    found = affected(10, 30)
    assert [each.request for each in found.detours] == [mover]
    assert found.detours[0].left == {(AB, "a-z"), (BD, "a-z")}
    assert found.detours[0].taken == {(AC, "a-z"), (CD, "a-z")}
    (over,) = found.over
    assert (over.link, over.excess_bps, over.start, over.end) == (CD, MBIT, there.start, found.window.end)
    assert over.sls_ids == (mover.reference, there.reference)
    assert found.cut == ()
    assert affected(10, 15).over == ()
    assert affected(55, 58).references == ()
    assert (LedgerEntry.objects.count(), TopologyVersion.objects.count()) == (rows, 1)
    assert CoreLink.objects.filter(down=True).count() == 0


def test_planned_work_on_two_links_leaves_some_without_a_path() -> None:
    request = grant("a", "d", MBIT, start=hours(1), end=hours(50))
    inside = grant("b", "d", MBIT, start=hours(1), end=hours(50))
    found = affected(2, 3, AB, AC)
    assert found.cut == (request,)
    assert found.references == (request.reference,)
    assert inside.reference not in found.references


def test_the_command_of_planned_work() -> None:
    request = grant("a", "d", MBIT, start=hours(1), end=hours(50))
    span = ("--from", hours(2).isoformat(), "--until", hours(3).isoformat())
    code, said = command("planned_work", AB, *span)
    assert code == 0
    assert f"MOVES: {request.reference} takes {AC} a-z, {CD} a-z in place of {AB} a-z, {BD} a-z" in said
    assert "1 request affected, 1 move, 0 without a path, 0 too much." in said
    data = json.loads(command("planned_work", AB, *span, "--json")[1])
    assert data["affected"] == [request.reference]
    with pytest.raises(InvalidInput):
        affected(-3, -2)
    with pytest.raises(InvalidInput):
        affected(1, 2, "nowhere")


def test_what_planned_work_says_comes_true() -> None:
    """The same link really declared down: the same requests move."""
    for source, goal in (("a", "d"), ("a", "b"), ("c", "d"), ("d", "a")):
        grant(source, goal, MBIT)
    foreseen = {each.request.pk: each.taken for each in affected(1, None).detours}
    done = topology.declare(actor=SYSTEM, name=AB, deed="down", reason="work")
    assert {each.request.pk: each.after - each.before for each in done.moved} == foreseen
    assert len(foreseen) == 3


def database(cores: tuple[Core, ...]) -> str:
    """What `show isis database detail` prints on these routers."""
    lines = ["IS-IS Level-2 Link State Database:"]
    for name in "abcd":
        lines += [f"{name}.00-00   * 0x00000C1A   0x5F4C   1034   0/0/0", f"  Hostname: {name}"]
        for a, z, metric in cores:
            if name in (a, z):
                lines.append(f"  Metric: {metric}         IS-Extended {z if name == a else a}.00")
    return "\n".join(lines) + "\n"


def compare(cores: tuple[Core, ...], **more: Any) -> topology.Compared:
    return topology.compare_paths(actor=SYSTEM, domain=Domain.objects.get(), text=database(cores), **more)


def test_paths_as_charged_are_no_drift_and_others_are_named_with_the_link() -> None:
    request = grant("a", "d", MBIT)
    assert compare(DIAMOND) == topology.Compared((), (), (), (), 1)
    higher: tuple[Core, ...] = (("a", "b", 100), *DIAMOND[1:])
    found = compare(higher)
    (drift,) = found.drifts
    assert drift.uncharged == (("a", "c"), ("c", "d"))
    assert drift.unused == (("a", "b"), ("b", "d"))
    assert found.links == (
        "a to b: metric 100 on the routers, 10 in the inventory",
        "b to a: metric 100 on the routers, 10 in the inventory",
    )
    held = Reservation.objects.get(request=request)
    assert held.drift == (
        "goes over a to c, c to d, where it is not charged and not over a to b, b to d, where it is charged"
    )
    assert held.drift_at is not None
    compare(DIAMOND)
    assert Reservation.objects.get(request=request).drift == ""


def test_no_adjacency_is_no_path() -> None:
    grant("a", "d", MBIT)
    found = compare((("a", "b", 10), ("a", "c", 15)))
    assert [each.lost for each in found.drifts] == [True]
    assert "b to d: the inventory has a link at metric 10, and the routers are no neighbours" in found.links


def test_a_move_ends_by_evidence_and_not_before(file: Path) -> None:
    request = grant("a", "d", MBIT)
    higher: tuple[Core, ...] = (("a", "b", 100), *DIAMOND[1:])
    put(network(file, higher))
    assert [each.pk for each in topology.moving()] == [request.pk]
    still = compare(DIAMOND, end_moves=True, taken_at=clock.now())
    assert (still.drifts, still.settled) == ((), ())
    now = clock.now() + timedelta(seconds=1)
    with pytest.raises(InvalidInput) as unsaid:
        compare(higher, end_moves=True)
    assert unsaid.value.field == "taken_at"
    there = compare(higher)
    assert [each.pk for each in there.settled] == [request.pk]
    assert [each.pk for each in topology.moving()] == [request.pk]
    ended = compare(higher, end_moves=True, taken_at=now, source="uk6.txt")
    assert [each.pk for each in ended.ended] == [request.pk]
    assert topology.moving() == []
    event = request.__class__.objects.get(pk=request.pk)
    assert event.reservation.path[1]["link"] == AC


def test_the_command_of_drift(tmp_path: Path) -> None:
    request = grant("a", "d", MBIT)
    path = tmp_path / "database.txt"
    path.write_text(database((("a", "b", 100), *DIAMOND[1:])))
    code, said = command("path_drift", str(path), "--dry-run")
    assert code == 1
    assert f"DRIFT: {request.reference} goes over a to c" in said
    assert "1 paths compared, 1 differ, 2 links differ." in said
    assert Reservation.objects.get().drift_at is None
    path.write_text(database(DIAMOND))
    assert command("path_drift", str(path))[0] == 0
    assert json.loads(command("path_drift", str(path), "--json")[1])["compared"] == 1
    path.write_text("nothing")
    with pytest.raises(CommandError) as error:
        command("path_drift", str(path))
    assert error.value.returncode == 2
    with pytest.raises(CommandError):
        command("path_drift", str(tmp_path / "none"))


def test_only_the_noc_compares() -> None:
    with pytest.raises(NotPermitted):
        topology.compare_paths(
            actor=person("somebody", nrens=("Na",)), domain=Domain.objects.get(), text=database(DIAMOND)
        )
