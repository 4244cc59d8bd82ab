"""Evidence may be old, of a part, or of links it cannot tell apart: it says only what it can, and ends no move it did not see."""

from __future__ import annotations

import datetime as dt
from pathlib import Path
from typing import Any

import pytest

from inventory.models import CoreLink, Domain
from provisioning.errors import InvalidInput, StaleState
from provisioning.models import SYSTEM, AuditEvent, LedgerEntry, PremiumRequest, Reservation
from provisioning.services import clock, topology
from tests.services.topology.diamond import DIAMOND, MBIT, Core, core, network, put
from tests.services.topology.test_work_and_drift import database, grant

pytestmark = pytest.mark.django_db
HIGHER: tuple[Core, ...] = (("a", "b", 100), *DIAMOND[1:])
HOUR = dt.timedelta(hours=1)


@pytest.fixture(autouse=True)
def file(tmp_path: Path) -> Path:
    put(network(tmp_path / "network.yaml", DIAMOND))
    return tmp_path / "network.yaml"


def compare(text: str, **more: Any) -> topology.Compared:
    return topology.compare_paths(actor=SYSTEM, domain=Domain.objects.get(), text=text, **more)


def stamped(text: str, at: dt.datetime) -> str:
    """As a router prints it after `terminal exec prompt timestamp`."""
    return f"Time source is NTP, {at.strftime('%H:%M:%S')}.123 UTC {at.strftime('%a %b %d %Y')}\n{text}"


def soon() -> dt.datetime:
    """After everything so far, whatever the clock's resolution."""
    return clock.now() + dt.timedelta(seconds=1)


def moving() -> list[int]:
    return [request.pk for request in topology.moving()]


def test_a_file_of_before_the_move_ends_nothing_and_is_no_drift(file: Path) -> None:
    """The path goes there and back and there again: an old database that shows the new path is of the first time."""
    request = grant("a", "d", MBIT)
    put(network(file, HIGHER))
    of_the_first_time = clock.now()
    put(network(file, DIAMOND))
    topology.path_moved(actor=SYSTEM, request=request, reason="back")
    put(network(file, HIGHER))
    assert moving() == [request.pk]
    found = compare(database(HIGHER), taken_at=of_the_first_time, end_moves=True)
    assert (found.ended, found.drifts, found.compared) == ((), (), 0)
    assert [each.pk for each in found.older] == [request.pk]
    assert moving() == [request.pk]
    with_clock = stamped(database(HIGHER), of_the_first_time - HOUR)
    assert compare(with_clock, taken_at=soon(), end_moves=True).ended == (), "its own clock counts"
    assert [each.pk for each in compare(database(HIGHER), taken_at=soon(), end_moves=True).ended] == [
        request.pk
    ]


def test_an_old_file_is_no_drift_of_a_path_that_has_moved_since(file: Path) -> None:
    request = grant("a", "d", MBIT)
    old = clock.now()
    put(network(file, HIGHER))
    topology.path_moved(actor=SYSTEM, request=request, reason="seen")
    assert compare(database(DIAMOND), taken_at=old).drifts == ()
    assert Reservation.objects.get().drift == ""
    assert len(compare(database(DIAMOND), taken_at=soon()).drifts) == 1


def test_what_was_seen_later_is_not_written_over(file: Path) -> None:
    grant("a", "d", MBIT)
    then = clock.now()
    compare(database(HIGHER), taken_at=then + dt.timedelta(seconds=2))
    held = Reservation.objects.get()
    assert held.drift and held.drift_by == "IS-IS database"
    compare(database(DIAMOND), taken_at=then)
    assert Reservation.objects.get().drift == held.drift
    Reservation.objects.update(drift_at=then)
    compare(database(DIAMOND))
    held.refresh_from_db()
    assert (held.drift, held.drift_hops) == ("", [])
    assert held.drift_by == "IS-IS database, nobody said of when"


def test_drift_of_a_path_is_forgotten_when_the_path_moves(file: Path) -> None:
    grant("a", "d", MBIT)
    compare(database(HIGHER), taken_at=soon())
    assert Reservation.objects.get().drift_hops
    put(network(file, HIGHER))
    held = Reservation.objects.get()
    assert (held.drift, held.drift_at, held.drift_hops, held.drift_by) == ("", None, [], "")


def test_a_time_to_come_is_refused() -> None:
    with pytest.raises(InvalidInput) as found:
        compare(database(DIAMOND), taken_at=soon() + HOUR)
    assert found.value.field == "taken_at"
    with pytest.raises(InvalidInput):
        compare(stamped(database(DIAMOND), clock.now() + 30 * HOUR))


def test_a_database_does_not_tell_parallel_links_apart_and_ends_no_move_between_them(tmp_path: Path) -> None:
    """Two links from a to b: traffic moves from one to the other, and the routers are neighbours all the time."""
    put(network(tmp_path / "twins.yaml", (*DIAMOND, ("a", "b", 12))))
    request = grant("a", "b", MBIT)
    put(network(tmp_path / "twins.yaml", (("a", "b", 30), *DIAMOND[1:], ("a", "b", 12))))
    assert moving() == [request.pk]
    found = compare(database((("a", "b", 12), *DIAMOND[1:])), taken_at=soon(), end_moves=True)
    assert (found.settled, found.ended) == ((), ())
    assert moving() == [request.pk]


def test_a_move_that_began_after_the_look_is_not_ended_by_it(file: Path) -> None:
    """Two meet: between the look at the routers and the end of the move the network moves again."""
    request = grant("a", "d", MBIT)
    put(network(file, HIGHER))
    seen = clock.now()
    put(network(file, DIAMOND))
    rows = LedgerEntry.objects.filter(moving_since__isnull=False, released_at=None)
    before = set(rows.values_list("link", flat=True))
    with pytest.raises(StaleState):
        topology.path_moved(actor=SYSTEM, request=request, reason="seen", known_at=seen)
    assert set(rows.values_list("link", flat=True)) == before
    assert topology.paths_moved(actor=SYSTEM, keys=[request.pk], reason="x", known_at=seen) == []


# --- a table of one router, and a traceroute


def table(*routes: tuple[str, str]) -> str:
    said = [f"I2  {prefix} [115/40]\n     via FE80::1, {interface}" for prefix, interface in routes]
    return "a#show ipv6 route\nIPv6 Routing Table - default - 9 entries\n" + "\n".join(said) + "\n"


def test_the_table_of_a_router_on_the_path_says_where_it_sends() -> None:
    request = grant("a", "d", MBIT)
    as_charged = table(("2001:db8:400::/40", "POS2/0"))
    found = compare(as_charged, taken_at=soon())
    assert (found.compared, found.drifts, found.by) == (1, (), "table of a")
    (drift,) = compare(table(("2001:db8:400::/40", "POS2/2")), taken_at=soon()).drifts
    assert (drift.uncharged, drift.unused) == ((("a", "c"),), (("a", "b"),))
    held = Reservation.objects.get(request=request)
    assert held.drift == "goes over a to c, where it is not charged and not over a to b, where it is charged"
    assert held.drift_hops == [["a", "c"], ["a", "b"]]
    (both,) = compare(table(("2001:db8:400::/40", "POS2/0"), ("2001:db8:400::/44", "POS2/2"))).drifts
    assert both.uncharged == (("a", "c"),), "the longest prefix counts"


def test_a_table_that_says_nothing_of_a_request_is_not_counted() -> None:
    grant("a", "d", MBIT)
    assert compare(table(("2001:db8:200::/40", "POS2/0"))).compared == 0
    assert compare(table(("2001:db8:400::/40", "Tunnel7"))).compared == 0, "an interface that nobody knows"
    there = table(("2001:db8:400::/40", "POS2/3")).replace("a#", "c#")
    assert compare(there).compared == 0, "it does not pass there"
    with pytest.raises(InvalidInput) as nobody:
        compare(table(("2001:db8:400::/40", "POS2/0")).replace("a#", "x9#"))
    assert nobody.value.field == "router"


def test_evidence_of_a_part_does_not_take_back_what_a_whole_one_said() -> None:
    grant("a", "d", MBIT)
    late: tuple[Core, ...] = (("a", "b", 10), ("b", "d", 100), *DIAMOND[2:], ("b", "c", 1))
    assert compare(database(late), taken_at=soon()).drifts
    said = Reservation.objects.get().drift
    compare(table(("2001:db8:400::/40", "POS2/0")), taken_at=soon())
    assert Reservation.objects.get().drift == said


def test_less_than_a_database_ends_no_move(file: Path) -> None:
    request = grant("a", "d", MBIT)
    put(network(file, HIGHER))
    with pytest.raises(InvalidInput) as found:
        compare(table(("2001:db8:400::/40", "POS2/2")), taken_at=soon(), end_moves=True)
    assert found.value.field == "end_moves"
    assert moving() == [request.pk]


TRACE = """a#traceroute ipv6 2001:db8:400::7
Type escape sequence to abort.
Tracing the route to 2001:db8:400::7

  1 {} 4 msec 4 msec 4 msec
  2 {} 8 msec 8 msec 8 msec
  3 2001:db8:400::7 12 msec 12 msec 12 msec
"""


def test_a_traceroute_is_placed_by_the_prefixes_of_the_links() -> None:
    request = grant("a", "d", MBIT)
    with pytest.raises(InvalidInput):
        compare(TRACE.format("2001:db8:0:1::2", "2001:db8:0:2::2"))
    for place in range(4):
        CoreLink.objects.filter(name=core(place)).update(prefix=f"2001:db8:0:{place + 1}::/64")
    found = compare(TRACE.format("2001:db8:0:1::2", "2001:db8:0:2::2"), taken_at=soon())
    assert (found.compared, found.drifts) == (1, ())
    (drift,) = compare(TRACE.format("2001:db8:0:3::2", "2001:db8:0:4::2"), taken_at=soon()).drifts
    assert (drift.uncharged, drift.unused) == ((("a", "c"), ("c", "d")), ()), "another may be taken too"
    (drift,) = compare(TRACE.format("2001:db8:0:3::2", "*"), taken_at=soon()).drifts
    assert drift.uncharged == (("a", "c"),)
    assert compare(TRACE.format("*", "2001:db8:0:4::2")).compared == 0, (
        "which way it was crossed nobody knows"
    )
    assert compare(TRACE.format("*", "*")).compared == 0
    other = compare(TRACE.format("2001:db8:0:3::2", "2001:db8:0:4::2").replace(":400::7", ":300::7"))
    assert other.compared == 0, "to somebody else"
    assert Reservation.objects.get(request=request).drift_by.startswith("traceroute to 2001:db8:400::7")


def test_each_comparison_is_audited() -> None:
    request = grant("a", "d", MBIT)
    compare(database(HIGHER), taken_at=soon(), source="a.txt")
    compare(database(DIAMOND), dry_run=True)
    event = AuditEvent.objects.get(action="paths.compare")
    assert event.after["differ"] == [request.reference]
    assert (event.reason, event.after["by"], event.after["compared"]) == ("a.txt", "IS-IS database", 1)
    assert PremiumRequest.objects.count() == 1
