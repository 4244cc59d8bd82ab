"""What somebody else did in the seconds between a look and what was made of it: the end of a push, a save, another change."""

from __future__ import annotations

from typing import Any

import pytest

from provisioning.models import Change, Job, JobKind, RouterPush, RouterSync
from provisioning.services import changes, clock, jobs, planning, pushing, unsaved, verifying
from provisioning.services.jobs import due
from tests.services.house import House
from tests.services.house import bare_house as bare_house
from tests.services.house import house as house

pytestmark = pytest.mark.once


def begun(house: House) -> RouterPush:
    """The push of nl6's edges of a repaired policy, approved and released."""
    house.routers.type("nl6", "interface POS2/0", "no service-policy output my_policy")
    change = planning.plan_domain(actor=house.noc[0], routers=["nl6"])
    changes.approve(actor=house.noc[1], change=change, confirm_gaps=True)
    changes.release(actor=house.noc[1], change=change)
    return change.pushes.exclude(lines=0).earliest("position")


def test_a_follow_up_takes_what_follows_from_its_own_end_only(
    house: House, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A recovery ended the push while the router was read for the end before: what follows from the new one was never done."""
    push = begun(house)
    RouterPush.objects.filter(pk=push.pk).update(
        state="UNKNOWN", error_code="interface-bare", follow_up_due=True
    )

    def ended_meanwhile(**_: Any) -> None:
        RouterPush.objects.filter(pk=push.pk).update(
            state="ROLLED_BACK", error_code="line-refused", follow_up_due=True
        )

    monkeypatch.setattr(pushing.followed.verifying, "verify_router", ended_meanwhile)
    pushing.follow_up(router_push_id=push.pk)
    push.refresh_from_db()
    assert (push.state, push.follow_up_due) == ("ROLLED_BACK", True)
    monkeypatch.setattr(pushing.followed.verifying, "verify_router", lambda **_: None)
    pushing.follow_up(router_push_id=push.pk)
    push.refresh_from_db()
    assert not push.follow_up_due
    assert set(push.change.pushes.exclude(pk=push.pk).values_list("state", flat=True)) <= {
        "CANCELLED",
        "VERIFIED",
    }


def test_no_recovery_begins_beside_a_follow_up_of_the_same_push(house: House) -> None:
    push = begun(house)
    RouterPush.objects.filter(pk=push.pk).update(state="UNKNOWN", started_at=clock.now())
    jobs.enqueue(JobKind.FOLLOW_UP, [push.pk])
    jobs.tick()
    assert not Job.objects.filter(kind=JobKind.RECOVER).exists()
    Job.objects.filter(kind=JobKind.FOLLOW_UP).delete()
    jobs.tick()
    assert Job.objects.filter(kind=JobKind.RECOVER, subject_id=push.pk).exists()


def test_one_change_that_cannot_be_judged_keeps_no_other_from_being_sent(
    house: House, monkeypatch: pytest.MonkeyPatch
) -> None:
    bad = begun(house)
    house.routers.type("gr6", "interface POS1/0", "no service-policy output my_policy")
    good = planning.plan_domain(actor=house.noc[0], routers=["gr6"])
    changes.approve(actor=house.noc[1], change=good, confirm_gaps=True)
    changes.release(actor=house.noc[1], change=good)
    following, left = pushing.next_phase, [1]

    def judged(pushes: Any) -> Any:
        rows = list(pushes)
        if left:  # the change that was released first
            left.pop()
            raise ValueError("a stored row that nobody can read")
        return following(rows)

    monkeypatch.setattr(due.pushing, "next_phase", judged)
    jobs.tick()
    assert not left
    preflights = Job.objects.filter(kind=JobKind.PREFLIGHT, subject_id__in=[bad.change_id, good.pk])
    assert list(preflights.values_list("subject_id", flat=True)) == [good.pk]


def test_what_was_saved_is_noted_though_a_worker_died_before_it_was(
    house: House, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The row of the router said "nothing unsaved" already, so no later reading noted it on the push."""
    push = RouterPush.objects.filter(router__name="nl6", state="VERIFIED", lines__gt=0).latest("pk")
    RouterPush.objects.filter(pk=push.pk).update(saved=False, error_code="not-saved")
    RouterSync.objects.filter(router__name="nl6").update(unsaved={})
    verifying.verify_routers(names=["nl6"])
    push.refresh_from_db()
    assert push.saved is True and push.error_code == ""


def test_a_reading_and_what_it_says_of_saving_are_one_transaction(
    house: House, monkeypatch: pytest.MonkeyPatch
) -> None:
    push = RouterPush.objects.filter(router__name="nl6", state="VERIFIED", lines__gt=0).latest("pk")
    RouterPush.objects.filter(pk=push.pk).update(saved=False)
    RouterSync.objects.filter(router__name="nl6").update(unsaved={"ours": ["x"], "foreign": [], "since": {}})
    monkeypatch.setattr(unsaved, "note_saved", lambda *_: (_ for _ in ()).throw(SystemExit("killed")))
    with pytest.raises(SystemExit):
        verifying.verify_routers(names=["nl6"])
    assert RouterSync.objects.get(router__name="nl6").unsaved != {}
    assert Change.objects.exists()
