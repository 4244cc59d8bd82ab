"""A router is written to after it was read for a plan: what was read is not what it holds, and is read again.

Found by reading: a plan with nothing to send counts as seen at once, so the objects of the push in between went back to what
they had been before it, and the next request was held out as "edited by hand".
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from provisioning.errors import Conflict
from provisioning.models import Change, PremiumRequest, RouterPush, RouterSync
from provisioning.services import planning, verifying
from tests.services.house import House
from tests.services.house import bare_house as bare_house
from tests.services.house import house as house

pytestmark = pytest.mark.once


def approved_later(house: House, number: int, sender: str) -> tuple[PremiumRequest, Callable[[], None]]:
    """A request whose plan waits for its approval, and the deed that approves it and has it pushed."""
    request = house.ask(number, sender, 9)
    house.begin(request)
    house.work()
    (change,) = Change.objects.filter(requests=request, approved_at=None, finished_at=None)

    def pushed() -> None:
        house.approve(house.noc[3], change)
        house.work(besides=("plan-change",))

    return request, pushed


def during_the_reading(monkeypatch: pytest.MonkeyPatch, deeds: list[Callable[[], None]]) -> list[str]:
    """Each reading of several routers is followed by the next deed; the routers that were read for the plan, in order."""
    read, seen = verifying.read_routers, list[str]()

    def reading(routers: Any) -> Any:
        found = read(routers)
        if deeds:
            seen.extend(router.name for router in routers)
            deeds.pop(0)()
        return found

    monkeypatch.setattr(planning.asking.verifying, "read_routers", reading)
    return seen


def test_what_a_push_put_on_meanwhile_is_not_forgotten(house: House, monkeypatch: pytest.MonkeyPatch) -> None:
    first, push_first = approved_later(house, 1, "SURFnet")
    during_the_reading(monkeypatch, [push_first])
    planned = planning.plan_domain(actor=house.noc[0])
    first.refresh_from_db()
    assert first.state == "ACTIVE"
    assert set(planned.pushes.values_list("state", flat=True)) == {"VERIFIED"}
    second, push_second = approved_later(house, 2, "SURFnet")
    push_second()
    second.refresh_from_db()
    assert second.state == "ACTIVE", RouterPush.objects.filter(router__name="nl6").values("state", "error")
    assert set(RouterSync.objects.values_list("state", flat=True)) == {"in-sync"}


def test_a_router_that_is_written_to_whenever_it_is_read_is_named(
    house: House, monkeypatch: pytest.MonkeyPatch
) -> None:
    def written() -> None:
        push = RouterPush.objects.filter(router__name="nl6", started_at__isnull=False).latest("pk")
        push.pk = None
        push.change = Change.objects.create(kind="baseline", title="another", finished_at=push.finished_at)
        push.save()

    during_the_reading(monkeypatch, [written] * 9)
    with pytest.raises(Conflict, match="nl6 was written to whenever it was read"):
        planning.plan_domain(actor=house.noc[0])
    assert not Change.objects.filter(finished_at=None).exists()
