"""A whole change undone: what is wanted is set back at once, and the routers follow by plans of their own."""

from __future__ import annotations

import pytest

from inventory.models import Router
from provisioning.errors import Conflict, InvalidInput, NotPermitted
from provisioning.models import Change, PremiumRequest, RouterPush
from provisioning.pipeline import ios
from provisioning.pipeline.ends import Verb
from provisioning.selectors.ends import verbs_of
from provisioning.services import next_steps, undoing
from tests.services.house import House
from tests.services.house import bare_house as bare_house
from tests.services.house import house as house

pytestmark = pytest.mark.once  # over practice routers, the same on either database


def approve_all(house: House) -> None:
    for change in Change.objects.filter(finished_at=None, approved_at=None, planned_at__isnull=False):
        for person in house.noc[:2]:
            house.approve(person, change)
    house.work()


def test_all_that_a_change_put_on_goes_by_one_deed_and_one_plan(house: House) -> None:
    before = ios.parse(house.routers.devices["uk6"].running_config())
    asked = [house.ask(number, "JANET", 9) for number in (1, 2)]
    other = house.ask(3, "SURFnet", 9)
    for request in (*asked, other):
        house.begin(request)
    house.work()
    change = asked[0].changes.get()
    assert set(change.requests.all()) == set(asked)
    with pytest.raises(Conflict, match="is not over"):
        undoing.undo(actor=house.noc[0], change=change, reason="the wrong NREN")
    approve_all(house)
    assert set(PremiumRequest.objects.values_list("state", flat=True)) == {"ACTIVE"}

    with pytest.raises(NotPermitted):
        undoing.undo(actor=house.nrens["JANET"], change=change, reason="please")
    with pytest.raises(InvalidInput):
        undoing.undo(actor=house.noc[0], change=change, reason="")
    done = undoing.undo(actor=house.noc[0], change=change, reason="the wrong NREN")
    assert {row.pk for row in done.withdrawn} == {row.pk for row in asked} and done.left == ()
    house.work()
    (removal,) = Change.objects.filter(finished_at=None)
    assert removal.kind == "removal" and set(removal.requests.all()) == set(asked)
    assert removal.approved_at is None, "somebody approves it, like any change"
    approve_all(house)
    for row in asked:
        row.refresh_from_db()
        assert row.state == "COMPLETED"
    other.refresh_from_db()
    assert other.state == "ACTIVE", "what the change did not put on stays"
    assert ios.parse(house.routers.devices["uk6"].running_config()) == before
    with pytest.raises(Conflict, match="is not undone by withdrawing"):
        undoing.undo(actor=house.noc[0], change=change, reason="again")


def test_what_rows_cannot_say_is_named_and_nothing_is_done(house: House) -> None:
    baseline = Change.objects.get(kind="baseline")
    with pytest.raises(Conflict, match="import a network file that says what is right"):
        undoing.undo(actor=house.noc[0], change=baseline, reason="too early")


def beside(change: Change, router: str) -> RouterPush:
    """Another router of the change, which refused a line."""
    first = change.pushes.get()
    return RouterPush.objects.create(
        change=change,
        router=Router.objects.get(name=router),
        phase="edges",
        position=first.position + 1,
        state="ROLLED_BACK",
        error_code="line-refused",
        plan_digest=first.plan_digest,
        lines=first.lines,
    )


def test_what_is_done_in_part_is_undone_by_the_next_step_of_the_router_that_refused(house: House) -> None:
    asked = house.ask(1, "JANET", 9)
    house.begin(asked)
    house.work()
    change = asked.changes.get()
    approve_all(house)
    (verified,) = change.pushes.all()
    assert Verb.UNDO not in verbs_of(verified), "nothing is to be done about what is verified"
    change.refresh_from_db()
    refused = beside(change, "nl6")
    assert verbs_of(refused)[-2:] == (Verb.FINISH, Verb.UNDO)
    with pytest.raises(InvalidInput):
        next_steps.take(actor=house.noc[0], push=refused, verb="undo")
    done = next_steps.take(actor=house.noc[0], push=refused, verb="undo", reason="not like this")
    assert done.verb is Verb.UNDO and done.said.startswith(f"Withdrawn: {asked.reference}.")
    house.work()
    approve_all(house)
    asked.refresh_from_db()
    assert asked.state == "COMPLETED"
    with pytest.raises(Conflict, match="is not undone by withdrawing"):
        next_steps.take(actor=house.noc[0], push=refused, verb="undo", reason="again")


def test_a_baseline_that_is_done_in_part_is_not_offered_to_be_undone_by_withdrawing(house: House) -> None:
    baseline = Change.objects.get(kind="baseline")
    first = baseline.pushes.order_by("position")[0]
    RouterPush.objects.filter(pk=first.pk).update(state="ROLLED_BACK", error_code="line-refused")
    first.refresh_from_db()
    assert Verb.FINISH in verbs_of(first) and Verb.UNDO not in verbs_of(first)
