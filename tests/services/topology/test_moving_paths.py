"""What moves a path moves the charges, on both paths until the move is over; who no longer fits is named."""

from __future__ import annotations

from datetime import timedelta
from pathlib import Path

import pytest
from django.core.management import CommandError, call_command
from django.utils import timezone

from inventory.models import CoreLink, Domain
from provisioning.models import SYSTEM, AuditEvent, LedgerEntry, PremiumRequest, Reservation, TopologyVersion
from provisioning.pipeline.admission import Admitted, Refused
from provisioning.selectors.fitting import fit_of
from provisioning.selectors.overcommitment import overcommitted
from provisioning.services import decisions, topology
from provisioning.services.jobs import due
from provisioning.web.reading.alarms import alarms
from tests.services.requests.sixnet import hours, noc
from tests.services.topology.diamond import DIAMOND, MBIT, access, ask, core, network, put

pytestmark = pytest.mark.django_db
AB, BD, AC, CD = (core(place) for place in range(4))
VIA_B = {(access("a"), "in"), (AB, "a-z"), (BD, "a-z"), (access("d"), "out")}
VIA_C = {(access("a"), "in"), (AC, "a-z"), (CD, "a-z"), (access("d"), "out")}
HIGHER = (("a", "b", 100), *DIAMOND[1:])


@pytest.fixture
def file(tmp_path: Path) -> Path:
    """The diamond is imported; a-b-d is the way."""
    put(network(tmp_path / "network.yaml", DIAMOND))
    return tmp_path / "network.yaml"


def grant(source: str, goal: str, rate: int, **changes: object) -> PremiumRequest:
    request = ask(source, goal, rate, **changes)
    assert isinstance(decisions.admit(actor=noc(), request=request, reason="fits"), Admitted)
    return request


def charged(request: PremiumRequest, *, moving: bool | None = None) -> set[tuple[str, str]]:
    rows = LedgerEntry.objects.filter(request=request, released_at=None)
    if moving is not None:
        rows = rows.filter(moving_since__isnull=not moving)
    return set(rows.values_list("link", "direction"))


def way(request: PremiumRequest) -> set[tuple[str, str]]:
    return {(hop["link"], hop["direction"]) for hop in Reservation.objects.get(request=request).path}


def move(file: Path, how: str) -> list[str]:
    """Let a-c-d be the way, as each of the four changes of the network would."""
    if how == "metric":
        return list(put(network(file, HIGHER)).lines())
    if how == "new link":
        return list(put(network(file, (*DIAMOND, ("a", "c", 1)))).lines())
    if how == "down in the file":
        return list(put(network(file, DIAMOND, down=frozenset({0}))).lines())
    call_command("core_link", AB, *(["--down"] if how == "down" else ["--remove"]), reason="planned work")
    return []


@pytest.mark.parametrize("how", ["metric", "new link", "down in the file", "down", "removed"])
def test_four_more_are_never_admitted_silently_on_a_path_that_has_four(file: Path, how: str) -> None:
    """Case (a) of the issue: a-c-d would carry 8 Mbit/s on a share of 4."""
    first = grant("a", "d", 4 * MBIT)
    assert charged(first) == VIA_B
    move(file, how)
    verdict = decisions.admit(actor=noc(), request=ask("a", "d", 4 * MBIT), reason="a-c-d is empty?")
    assert isinstance(verdict, Refused)
    assert {reason.code for reason in verdict.reasons} == {"share-exceeded"}
    assert CD in {reason.link for reason in verdict.reasons}
    now = charged(first, moving=False)
    assert (CD, "a-z") in now
    assert (AB, "a-z") not in now
    assert charged(first, moving=True) >= {(AB, "a-z"), (BD, "a-z")}, "the old path stays charged, too"
    assert overcommitted(Domain.objects.get(), now=timezone.now()) == ()
    assert not LedgerEntry.objects.exclude(exempt="").exists(), "what fits is exempted from nothing"


@pytest.mark.parametrize("how", ["metric", "new link", "down in the file"])
def test_whom_a_move_leaves_without_room_is_named_before_and_after(file: Path, how: str) -> None:
    tomorrow, after = hours(24), hours(48)
    first = grant("a", "d", 3 * MBIT)
    second = grant("c", "d", 2 * MBIT, start=tomorrow, end=after)
    (text,) = [line for line in _dry(file, how) if "NO LONGER FITS" in line]
    assert (
        f"{CD} a-z: {first.reference}, {second.reference} hold up to 5 Mbit/s, the share is now 4 Mbit/s"
        in text
    )
    assert charged(first) == VIA_B, "a dry run writes nothing"
    before = TopologyVersion.objects.latest("number").number
    assert before == 1
    said = move(file, how)
    assert [line for line in said if text.strip() in line]
    assert any(f"{first.reference} is charged anew" in line for line in said)
    (found,) = overcommitted(Domain.objects.get(), now=timezone.now())
    assert (found.link, found.excess_bps, found.start, found.end) == (CD, MBIT, tomorrow, after)
    assert LedgerEntry.objects.get(request=first, link=CD).exempt == "moved"
    version = TopologyVersion.objects.latest("number")
    assert version.number == 2
    assert version.changed
    assert AuditEvent.objects.filter(action="reservation.recharge", object_id=str(first.pk)).count() == 1


def _dry(file: Path, how: str) -> list[str]:
    changed = {"metric": HIGHER, "new link": (*DIAMOND, ("a", "c", 1)), "down in the file": DIAMOND}[how]
    down = frozenset({0}) if how == "down in the file" else frozenset()
    return list(put(network(file, changed, down=down), dry_run=True).lines())


def test_a_link_is_declared_down_beforehand_and_nothing_is_written(
    file: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    first = grant("a", "d", 3 * MBIT)
    second = grant("c", "d", 2 * MBIT, start=hours(24), end=hours(48))
    call_command("core_link", AB, "--down", reason="planned work", dry_run=True)
    said = capsys.readouterr().out
    assert f"{first.reference} is charged anew" in said
    assert f"NO LONGER FITS: {CD} a-z: {first.reference}, {second.reference} hold up to 5 Mbit/s" in said
    assert "Dry run, nothing written" in said
    assert not CoreLink.objects.get(name=AB).down
    assert charged(first) == VIA_B
    assert TopologyVersion.objects.count() == 1
    with pytest.raises(CommandError, match="there is no core link"):
        call_command("core_link", "x--y", "--down", reason="planned work")


def test_the_queue_says_what_is_moving(file: Path) -> None:
    first = grant("a", "d", MBIT)
    assert not [each for each in alarms() if first.reference in each.title]
    put(network(file, HIGHER))
    (said,) = [each for each in alarms() if first.reference in each.title]
    assert said.kind == "info"
    topology.path_moved(actor=noc(), request=first, reason="seen")
    assert not [each for each in alarms() if first.reference in each.title]


def test_a_person_ends_a_move_and_the_old_path_is_free(file: Path) -> None:
    first = grant("a", "d", 4 * MBIT)
    assert way(first) == VIA_B
    put(network(file, HIGHER))
    assert way(first) == VIA_B, "the routers concerned are those of the old path until the move is over"
    assert isinstance(decisions.evidence(request=ask("b", "d", MBIT)), Refused)
    call_command("path_moved", first.reference, reason="seen in show ipv6 route")
    assert charged(first) == VIA_C == way(first)
    assert isinstance(decisions.evidence(request=ask("b", "d", MBIT)), Admitted)
    event = AuditEvent.objects.get(action="reservation.path-moved")
    assert event.object_id == str(first.pk)
    with pytest.raises(CommandError, match="is not moving"):
        call_command("path_moved", first.reference, reason="again")


def test_the_set_time_ends_every_move_and_not_before(file: Path, settings: object) -> None:
    both = [grant("a", "d", MBIT), grant("a", "d", MBIT, start=hours(5), end=hours(6))]
    put(network(file, HIGHER))
    settings.PATH_MOVE_HOURS = 2.0  # type: ignore[attr-defined]
    LedgerEntry.objects.filter(moving_since__isnull=False).update(moving_since=hours(-1.9))
    due.tick()
    assert all(charged(each, moving=True) for each in both)
    LedgerEntry.objects.filter(moving_since__isnull=False).update(moving_since=hours(-2.1))
    due.tick()
    assert [charged(each) for each in both] == [VIA_C, VIA_C]
    put(network(file, DIAMOND))
    call_command("path_moved", all=True, reason="all of them")
    assert [charged(each) for each in both] == [VIA_B, VIA_B]


def test_a_path_that_comes_back_leaves_the_other_charged_until_the_move_is_over(file: Path) -> None:
    first = grant("a", "d", 4 * MBIT)
    put(network(file, HIGHER))
    put(network(file, DIAMOND))
    assert charged(first, moving=False) == VIA_B
    assert charged(first, moving=True) == VIA_C - VIA_B
    topology.path_moved(actor=noc(), request=first, reason="back again")
    assert charged(first) == VIA_B == way(first)


def test_nothing_moves_and_no_version_is_made_where_nothing_changed(file: Path) -> None:
    first = grant("a", "d", MBIT)
    put(network(file, DIAMOND))
    put(network(file, (("a", "b", 11), *DIAMOND[1:])))
    assert TopologyVersion.objects.count() == 2
    assert charged(first, moving=True) == set()
    newest = TopologyVersion.objects.latest("number")
    assert newest.changed == [f"{AB}: metric 10 -> 11"]


def test_who_has_no_path_any_more_stays_charged_where_it_was_and_is_named(file: Path) -> None:
    first = grant("a", "d", MBIT)
    for link in (BD, CD):
        told = topology.declare(actor=SYSTEM, name=link, deed="down", reason="both at once")
    assert told.lost == (first.reference,)
    fit = fit_of(first, now=timezone.now())
    assert fit is not None
    assert not fit.fits
    assert "no path" in fit.no_path
    assert charged(first, moving=False) == VIA_C
    verdict = decisions.evidence(request=ask("a", "d", MBIT))
    assert isinstance(verdict, Refused)
    assert [reason.code for reason in verdict.reasons] == ["no-path"]
    topology.declare(actor=SYSTEM, name=BD, deed="up", reason="one of them")
    assert charged(first, moving=False) == VIA_B


def test_a_file_that_does_not_say_leaves_a_link_down(file: Path) -> None:
    topology.declare(actor=SYSTEM, name=AB, deed="down", reason="a person knows")
    file.write_text(network(file, DIAMOND).read_text().replace("down: false, ", ""))
    put(file)
    assert CoreLink.objects.get(name=AB).down


def test_an_overdue_reservation_moves_too(file: Path) -> None:
    """Its window is over and nobody saw it gone: it may still send, over the new path."""
    first = grant("a", "d", 4 * MBIT, end=hours(1))
    over = timezone.now() - timedelta(minutes=1)
    PremiumRequest.objects.filter(pk=first.pk).update(
        start=over - timedelta(hours=1), end=over, state="EXPIRED"
    )
    LedgerEntry.objects.filter(request=first).update(start=over - timedelta(hours=1), end=over)
    put(network(file, HIGHER))
    assert charged(first, moving=False) == VIA_C
    assert isinstance(decisions.evidence(request=ask("a", "d", MBIT)), Refused)
