"""A whole change undone: what is wanted is set back at once, and the routers follow by plans of their own."""

from __future__ import annotations

import pytest

from provisioning.errors import Conflict, InvalidInput, NotPermitted
from provisioning.models import Change, PremiumRequest
from provisioning.pipeline import ios
from provisioning.services import undoing
from tests.services.house import House
from tests.services.house import bare_house as bare_house
from tests.services.house import house as house


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
