"""A swap of a bound policy that a router refuses: how long the interface is bare, by the router's own clock, and what follows."""

from __future__ import annotations

from dataclasses import replace
from itertools import pairwise
from typing import Any

import pytest

from provisioning.drivers import Timeouts
from provisioning.models import (
    AuditEvent,
    BareInterface,
    Change,
    PremiumRequest,
    RouterPush,
    RouterSync,
    SwapTime,
)
from provisioning.selectors.figures import figures
from provisioning.selectors.swaps import lasted
from provisioning.services import jobs, patience, pushing, verifying
from provisioning.services.pushing import course
from provisioning.web.reading.alarms import alarms
from tests.services.backbone import Backbone

pytestmark = pytest.mark.once

GIG = "GigabitEthernet1/0"
NEW, OLD = "^service-policy input FILTERED-IN", "^service-policy input NON-PARTICIPANT"
TCAM = "SLOT 1: not enough TCAM"


def swap(live: Backbone) -> tuple[PremiumRequest, Change]:
    """An approved change that swaps NON-PARTICIPANT for FILTERED-IN where SURFnet enters."""
    request = live.admit(live.ask("SURFnet", "GRNET", "1M"))
    live.work()
    change = request.changes.get()
    live.approve(change, confirm_gaps=True)
    return request, change


def edges_of(change: Change, router: str = "nl6") -> RouterPush:
    return RouterPush.objects.get(change=change, router__name=router, phase="edges")


def bare(live: Backbone, router: str = "nl6", interface: str = GIG) -> list[float]:
    """Every time the interface had no input policy, in seconds by the router's own clock; the last may last still."""
    journal: list[dict[str, Any]] = [
        item
        for item in live.call("state", router)["journal"]
        if item["interface"] == interface and item["direction"] == "input"
    ]
    return [then["at"] - now["at"] for now, then in pairwise(journal) if now["policy"] is None]


def policies(live: Backbone, router: str = "nl6", interface: str = GIG) -> list[str | None]:
    """What was bound there, from the moment its policy first came off."""
    held = [
        item["policy"] for item in live.call("state", router)["journal"] if item["interface"] == interface
    ]
    return held[held.index(None) :]


@pytest.mark.parametrize("reply", [0.0, 0.4])
def test_a_refused_swap_is_bare_for_two_replies_at_most(live: Backbone, reply: float) -> None:
    request, change = swap(live)
    if reply:
        live.fault("nl6", "slow", match="service-policy", seconds=reply, where="config")
    live.fault("nl6", "refuse", match=NEW, message=TCAM)
    live.work(change)
    push = edges_of(change)
    assert push.state == "ROLLED_BACK", push.error
    assert "not enough TCAM" in push.error
    assert policies(live) == [None, "NON-PARTICIPANT"]
    (lasted,) = bare(live)
    print(f"a refused swap was bare for {lasted * 1000:.0f} ms; one reply took {reply * 1000:.0f} ms")
    assert lasted < 2 * reply + 0.3
    assert "FILTERED-IN" not in live.running("nl6")
    request.refresh_from_db()
    assert request.state == "ADMITTED"


def test_what_both_were_refused_once_is_tried_again_until_one_is_taken(live: Backbone) -> None:
    _request, change = swap(live)
    live.fault("nl6", "refuse", match=NEW, message=TCAM)
    live.fault("nl6", "refuse", match=OLD, message=TCAM, times=2)
    live.work(change)
    push = edges_of(change)
    assert push.state == "ROLLED_BACK", push.error
    assert policies(live) == [None, "NON-PARTICIPANT"]
    (lasted,) = bare(live)
    print(f"refused three times: bare for {lasted * 1000:.0f} ms")
    assert lasted < 5


def test_a_new_policy_that_is_taken_at_another_try_is_what_was_approved(live: Backbone) -> None:
    _request, change = swap(live)
    live.fault("nl6", "refuse", match=NEW, message=TCAM, times=1)
    live.fault("nl6", "refuse", match=OLD, message=TCAM, times=1)
    live.work(change)
    push = edges_of(change)
    assert push.state == "VERIFIED", push.error
    assert policies(live) == [None, "FILTERED-IN"]


def quickly(monkeypatch: pytest.MonkeyPatch, closing: float = 1.0) -> None:
    """Give a bare interface up sooner than anybody would."""
    usual = patience.timeouts

    def short(_known: object = None) -> Timeouts:
        return replace(usual(), closing=closing)

    monkeypatch.setattr(course, "timeouts", short)


def test_a_swap_that_hangs_is_closed_in_another_session(
    live: Backbone, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Not after the half minute that any other line is waited for (here a whole one)."""
    usual = patience.timeouts
    monkeypatch.setattr(course, "timeouts", lambda *known: replace(usual(*known), swap=1.0))
    _request, change = swap(live)
    live.fault("nl6", "hang", match=NEW, times=1)
    live.work(change)
    push = edges_of(change)
    assert push.state == "VERIFIED", push.error
    assert policies(live) == [None, "FILTERED-IN"]
    (lasted,) = bare(live)
    print(f"a swap that hung was bare for {lasted:.1f} s")
    assert lasted < 20
    assert not BareInterface.objects.exists()


def told() -> list[str]:
    """The first alarm of the queue page, with its particulars; empty when there is none."""
    return [text for first in alarms()[:1] for text in (first.title, *first.particulars)]


def test_an_edge_that_takes_nothing_is_named_read_at_once_and_tried_again(
    live: Backbone, monkeypatch: pytest.MonkeyPatch
) -> None:
    """New and old refused, again and again: router, interface and since when, until it is seen closed."""
    quickly(monkeypatch)
    request, change = swap(live)
    live.fault("nl6", "refuse", match="^service-policy input", message=TCAM)
    before = RouterSync.objects.get(router__name="nl6").checked_at
    live.work(change)
    push = edges_of(change)
    assert (push.state, push.error_code) == ("UNKNOWN", "interface-bare"), push.error
    # What counts comes first, and what the router refused is said once.
    assert push.error.startswith(f"nl6 {GIG} input has NO POLICY; it is tried again. "), push.error
    assert push.error.count(TCAM) <= 2, push.error
    (row,) = BareInterface.objects.all()
    assert (row.router.name, row.interface, row.seen, row.push_id) == ("nl6", GIG, True, push.pk)
    title, said, *_ = told()
    assert "has no policy" in title
    assert said.startswith(f"nl6 {GIG} input: no policy since {row.since:%Y-%m-%d %H:%M:%S} UTC")
    shown = {figure.name: figure for figure in figures()}
    assert shown["bare_interface_since_seconds"].samples == (
        (("nl6", f"{GIG} input"), row.since.timestamp()),
    )
    # The router was read at once, whatever the round: what it shows is on record.
    sync = RouterSync.objects.get(router__name="nl6")
    assert sync.checked_at is not None and before is not None and sync.checked_at > max(before, row.since)
    assert [edge["interface"] for edge in sync.open_edges] == [GIG]
    # Another try works, by itself, and the alarm is over when the interface is seen closed.
    live.clear()
    pushing.recover(router_push_id=push.pk, worker="w")
    push.refresh_from_db()
    assert (push.state, push.error_code) == ("ROLLED_BACK", "line-refused"), push.error
    assert "NO POLICY" not in push.error and "tried again" not in push.error
    assert (GIG, "input", "NON-PARTICIPANT") in live.bound("nl6")
    assert not BareInterface.objects.exists()
    assert not any("no policy" in text for text in told())
    assert AuditEvent.objects.filter(action="push.closed").count() == 1
    request.refresh_from_db()
    assert request.state == "ADMITTED"


def test_whoever_binds_a_policy_by_hand_ends_the_alarm_with_the_next_reading(
    live: Backbone, monkeypatch: pytest.MonkeyPatch
) -> None:
    quickly(monkeypatch)
    _request, change = swap(live)
    live.fault("nl6", "refuse", match="^service-policy input", message=TCAM)
    live.work(change)
    assert BareInterface.objects.count() == 1
    verifying.verify_routers(names=["nl6"])
    assert BareInterface.objects.count() == 1, "it was read, and is bare still"
    live.clear()
    live.console("nl6", f"interface {GIG}", "service-policy input NON-PARTICIPANT")
    verifying.verify_routers(names=["nl6"])
    assert not BareInterface.objects.exists()


def test_a_session_lost_over_a_swap_is_named_as_feared_until_it_is_read(
    live: Backbone, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(pushing, "RETRIES", 0)
    _request, change = swap(live)
    live.fault("nl6", "drop", match=NEW, when="before", times=1)
    for job in jobs.tick():
        jobs.run(job_id=job.pk, worker="preflight")
    push = edges_of(change)
    assert push.state == "APPROVED"
    pushing.push(router_push_id=push.pk, worker="w")
    push.refresh_from_db()
    assert push.state == "UNKNOWN", push.error
    (row,) = BareInterface.objects.all()
    assert row.seen is False
    assert "perhaps" in told()[0]
    pushing.recover(router_push_id=push.pk, worker="w")
    push.refresh_from_db()
    assert push.state == "VERIFIED", push.error
    assert AuditEvent.objects.filter(action="push.bare").count() == 1
    assert not BareInterface.objects.exists()


def test_a_late_refusal_of_a_line_card_is_answered_at_once(live: Backbone) -> None:
    """ios-facts 2.2: the prompt comes first, and the card's word after it."""
    _request, change = swap(live)
    said = (
        "SLOT 1:00:00:09: %QM-4-POLICY_REJECTED: policy-map FILTERED-IN on GigabitEthernet1/0 input: no TCAM"
    )
    live.fault("nl6", "refuse", match=NEW, message=said, late=0.2)
    live.work(change)
    push = edges_of(change)
    assert push.state == "ROLLED_BACK", push.error
    assert "POLICY_REJECTED" in push.error
    (lasted,) = bare(live)
    print(f"refused by the line card after 200 ms: bare for {lasted * 1000:.0f} ms")
    assert lasted < 0.2 + 0.6


def test_how_long_swaps_lasted_is_told_to_whoever_approves_the_next(live: Backbone) -> None:
    first = live.admit(live.ask("SURFnet", "GRNET", "1M"))
    live.work()
    change = first.changes.get()
    router = edges_of(change).router
    assert "was not measured yet" in lasted(router)
    live.approve(change, confirm_gaps=True)
    live.fault("nl6", "slow", match=NEW, seconds=0.3, where="config")
    live.work(change)
    assert edges_of(change).state == "VERIFIED"
    row = SwapTime.objects.get()
    assert (row.platform, row.ios, row.swaps, row.refused) == (router.platform, router.ios, 1, 0)
    assert 0.29 <= row.longest_s < 2, "to the hundredth: two clocks"
    assert "1 swap lasted" in lasted(router) and router.ios in lasted(router)
