"""A push that the router takes back by itself unless it is told in time to keep it: what ends it, and who dies when."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import timedelta
from typing import Any

import pytest

from provisioning.drivers.session import SessionDriver
from provisioning.errors import Conflict
from provisioning.models import RouterPush
from provisioning.pipeline.ends import KEPT_BACK
from provisioning.selectors.plans import plan_of
from provisioning.services import clock
from provisioning.services.pushing import reverting
from tests.depth import DEEP
from tests.services import wired
from tests.services.house import House
from tests.services.house import bare_house as bare_house
from tests.services.mortal import Mortal
from tests.services.scenes import ROUTER, Scene, approve, once_more, scene_of
from tests.services.timed import ARCHIVE, managed_over, routed
from tests.services.wired import Seconds

pytestmark = pytest.mark.once  # over practice routers, the same on either database

STEP = 1 if DEEP else 29


@dataclass
class Guarded:
    """A push that binds a policy on the interface by which the router is managed, and everybody's clocks."""

    house: House
    scene: Scene
    seconds: Seconds
    interface: str

    def wait(self, seconds: int) -> None:
        """So much time passes for the router and for us."""
        self.seconds.advance(seconds)
        self.scene.device.tick()
        self.house.wait(seconds)

    def settle(self, most: int = 12) -> RouterPush:
        """Look again and again, with a minute between, until the push is decided."""
        for _ in range(most):
            self.house.work()
            push = self.push()
            if push.state not in ("PUSHING", "PUSHED", "UNKNOWN"):
                return push
            self.wait(61)
        return self.push()

    def push(self) -> RouterPush:
        return RouterPush.objects.get(pk=self.scene.first)

    def logged(self, word: str) -> int:
        return sum(word in line for line in self.scene.device.syslog)

    @contextmanager
    def again(self, *faults: dict[str, object]) -> Iterator[None]:
        with once_more(self.house):
            for fault in faults:
                self.scene.device.faults.add(fault)
            yield
            self.scene.device.faults.items.clear()
            assert self.scene.device.pending is None, "a timer was left behind"

    def assert_taken_back(self, code: str, why: str) -> None:
        push = self.push()
        assert (push.state, push.error_code) == ("ROLLED_BACK", code), (
            f"{push.state} {push.error_code} {push.error}"
        )
        assert why in push.error
        assert push.revert_until is None
        now = self.scene.holds()
        assert (now, now.names) == (self.scene.before, self.scene.before.names)
        assert "policy-map" not in (self.scene.device.startup or "").replace("policy-map EXAMPLE", "")


def prepared(house: House, monkeypatch: pytest.MonkeyPatch, *lines: str) -> tuple[str, Seconds]:
    interface = routed(house, ROUTER)
    seconds = wired.wire(monkeypatch, house.routers)
    managed_over(house, ROUTER, interface, *lines)
    return interface, seconds


@pytest.fixture
def guarded(bare_house: House, monkeypatch: pytest.MonkeyPatch) -> Guarded:
    interface, seconds = prepared(bare_house, monkeypatch, *ARCHIVE)
    return Guarded(bare_house, scene_of(bare_house, "baseline"), seconds, interface)


@pytest.mark.parametrize("lines", [(), ("archive", "path ftp://10.0.0.1/keep"), ("archive", "maximum 5")])
def test_without_copies_on_the_router_itself_it_stays_refused(
    bare_house: House, monkeypatch: pytest.MonkeyPatch, lines: tuple[str, ...]
) -> None:
    prepared(bare_house, monkeypatch, *lines)
    with pytest.raises(Conflict, match="could cut the session"):
        scene_of(bare_house, "baseline")
    plan = plan_of(RouterPush.objects.get(router__name=ROUTER, phase="edges"))
    assert plan.revert_minutes == 0
    assert any(
        "could cut the session" in text and "`archive` with a `path`" in text for text in plan.violations
    )


def test_it_is_told_to_keep_what_was_read_back_and_only_then_saved(guarded: Guarded) -> None:
    plan = plan_of(guarded.push())
    assert plan.revert_minutes == 5
    assert plan.violations == ()
    assert any("takes everything back by itself 5 minutes after" in text for text in plan.warnings)
    with guarded.again():
        approve(guarded.house)
        push = guarded.push()
        assert (push.state, push.saved, push.revert_until) == ("VERIFIED", True, None), push.error
        assert guarded.scene.holds() == guarded.scene.after
        assert guarded.logged("ROLLBK_CNFMD_CHG_BACKUP") == guarded.logged("ROLLBK_CNFMD_CHG_CONFIRM") == 1
        said = [text for row in push.transcripts.order_by("pk") for _at, way, text in row.lines if way == ">"]
        order = [
            said.index(each)
            for each in ("configure terminal revert timer 5", "configure confirm", "write memory")
        ]
        assert order == sorted(order)
        guarded.wait(3600)
        assert guarded.scene.holds() == guarded.scene.after


def test_what_somebody_types_right_before_it_is_kept_is_not_saved_unseen(
    guarded: Guarded, monkeypatch: pytest.MonkeyPatch
) -> None:
    """After the last look, before `configure confirm`: the timer would have taken it back; what is kept is kept with it."""
    confirm = SessionDriver.confirm_revert

    def after_somebody(driver: SessionDriver[Any]) -> bool:
        other = guarded.scene.device.open_session("console", privilege=15, console=True)
        for line in ("configure terminal", f"interface {guarded.interface}", "description moved", "end"):
            other.execute(line)
        other.close()
        return confirm(driver)

    monkeypatch.setattr(SessionDriver, "confirm_revert", after_somebody)
    with guarded.again():
        approve(guarded.house)
        push = guarded.push()
        assert (push.state, push.saved, push.error_code) == ("VERIFIED", False, KEPT_BACK), push.error
        assert "description moved" not in (guarded.scene.device.startup or "")


def test_a_refused_line_goes_back_at_once_with_all_that_was_sent(guarded: Guarded) -> None:
    line = guarded.scene.lines[-1]
    with guarded.again({"kind": "refuse", "match": f"^{line}$", "message": "% not here"}):
        approve(guarded.house)
        guarded.assert_taken_back("line-refused", "was refused")
        assert guarded.logged("REVERTNOW") == 1


def test_a_binding_that_cuts_us_off_is_taken_back_by_the_router(guarded: Guarded) -> None:
    with guarded.again({"kind": "cut-off", "interface": guarded.interface}):
        monkey = guarded.house.routers.away
        approve(guarded.house)
        assert guarded.push().state in ("UNKNOWN", "PUSHING")
        assert guarded.scene.device.cut_off
        monkey.add(ROUTER)
        guarded.house.wait(120)
        guarded.house.work()
        assert guarded.push().state == "UNKNOWN"
        guarded.wait(300)
        monkey.clear()
        assert not guarded.scene.device.cut_off
        guarded.settle()
        guarded.assert_taken_back(reverting.CODE, "it took it back by itself")
        assert guarded.logged("ROLLBK_CNFMD_CHG_ROLLBACK_START") == 1


def test_a_session_lost_after_the_last_line_is_gone_on_with(guarded: Guarded) -> None:
    line = guarded.scene.lines[-1]
    with guarded.again({"kind": "drop", "match": f"^{line}$", "when": "after", "times": 1}):
        approve(guarded.house)
        push = guarded.settle()
        assert (push.state, push.revert_until) == ("VERIFIED", None), push.error
        assert guarded.logged("ROLLBK_CNFMD_CHG_CONFIRM") == 1
        guarded.wait(3600)
        assert guarded.scene.holds() == guarded.scene.after


def test_a_session_lost_in_the_middle_sends_nothing_more(guarded: Guarded) -> None:
    line = guarded.scene.lines[len(guarded.scene.lines) // 2]
    with guarded.again({"kind": "drop", "match": f"^{line}$", "when": "after", "times": 1}):
        approve(guarded.house)
        guarded.settle()
        guarded.assert_taken_back(reverting.CODE, "interrupted before the router was told to keep it")


@pytest.mark.parametrize("message", ["Command authorization failed.", "%Error: cannot confirm now"])
def test_what_it_will_not_keep_goes_back(guarded: Guarded, message: str) -> None:
    refused = {"kind": "refuse", "match": "^configure confirm", "message": message, "where": "exec"}
    with guarded.again(refused):
        approve(guarded.house)
        guarded.assert_taken_back("confirm-refused", message.rstrip("."))
        assert guarded.logged("REVERTNOW") == 1


def test_where_neither_confirm_nor_revert_is_allowed_the_undo_goes_out_and_the_timer_is_waited_for(
    guarded: Guarded,
) -> None:
    refused = {"kind": "refuse", "match": "^configure (confirm|revert)", "message": "Command authorization failed.",
               "where": "exec"}  # fmt: skip
    with guarded.again(refused):
        approve(guarded.house)
        push = guarded.settle()
        assert push.state == "ROLLED_BACK", push.error
        assert guarded.scene.holds() == guarded.scene.before
        assert push.revert_until is not None and push.revert_until > clock.now()
        guarded.wait(300)  # the router goes back to what it holds already
        assert guarded.scene.holds() == guarded.scene.before


def test_a_timer_that_is_over_while_we_read_ends_rolled_back(guarded: Guarded) -> None:
    slow = {"kind": "slow", "match": "^show policy-map interface", "where": "exec", "seconds": 20}
    with guarded.again({"kind": "short-minutes", "seconds": 3}, slow):
        approve(guarded.house)
        guarded.settle()
        assert guarded.push().state == "ROLLED_BACK", guarded.push().error
        assert guarded.scene.holds() == guarded.scene.before
        assert guarded.push().saved is not True


def test_a_timer_that_is_refused_sends_no_line(guarded: Guarded) -> None:
    refused = {"kind": "refuse", "match": "^configure terminal revert", "message": "%Error", "where": "exec"}
    with guarded.again(refused):
        typed = len(guarded.scene.device.history)
        approve(guarded.house)
        guarded.assert_taken_back(reverting.NOT_ARMED, "was refused")
        assert len(guarded.scene.device.history) == typed


def test_somebody_elses_timer_is_neither_confirmed_nor_ended(guarded: Guarded) -> None:
    with once_more(guarded.house):
        session = guarded.scene.device.open_session("mary", privilege=15, console=True)
        for line in ("configure terminal revert timer 60", "end"):
            session.execute(line)
        typed = len(guarded.scene.device.history)
        approve(guarded.house)
        guarded.assert_taken_back(reverting.NOT_ARMED, "a change of mary waits there")
        assert guarded.scene.device.pending is not None
        assert len(guarded.scene.device.history) == typed


def test_nothing_else_is_begun_while_the_router_may_yet_go_back(guarded: Guarded) -> None:
    with once_more(guarded.house):
        row, change = guarded.push(), guarded.push().change
        change.pk, row.pk = None, None
        change.save()
        row.change, row.state, row.revert_until = change, "ROLLED_BACK", clock.now() + timedelta(minutes=3)
        row.save()
        approve(guarded.house)
        assert guarded.push().state == "APPROVED"
        guarded.wait(200)
        assert guarded.settle().state == "VERIFIED"


@pytest.mark.parametrize("refused", [False, True])
def test_whatever_a_worker_dies_after_the_router_ends_right(guarded: Guarded, refused: bool) -> None:
    """Killed after each of its deeds, timer, confirmation and going back included; its successor comes before the time is over,
    or long after it."""
    line = guarded.scene.lines[-1]
    fault: list[dict[str, object]] = (
        [{"kind": "refuse", "match": f"^{line}$", "message": "% not here"}] if refused else []
    )
    ends: set[str] = set()
    for deeds in range(1, 400, STEP):
        mortal = Mortal(deeds)
        with guarded.again(*fault):
            with guarded.house.outliving():
                approve(guarded.house, mortal=mortal)
            guarded.wait(100 if deeds % 2 else 900)
            guarded.house.wait(130)
            push = guarded.settle()
            where = f"killed after {deeds} deeds: {push.state} {push.error}"
            ends.add(push.state)
            now = guarded.scene.holds()
            if push.state == "VERIFIED":
                assert not refused, where
                assert now == guarded.scene.after, where
                guarded.wait(900)
                assert guarded.scene.holds() == guarded.scene.after, where
            else:
                assert push.state == "ROLLED_BACK", where
                assert (now, now.names) == (guarded.scene.before, guarded.scene.before.names), where
                assert push.saved is not True, where
        if not mortal.dead:
            break
    assert deeds > 20, "not enough is tried here"
    assert "ROLLED_BACK" in ends
    assert ("VERIFIED" in ends) is not refused
