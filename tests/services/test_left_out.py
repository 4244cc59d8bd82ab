"""A plan for some routers of an older plan: the others are left out of both, which is said, with what is to be done."""

from __future__ import annotations

from io import StringIO

import pytest
from django.core.management import call_command

from provisioning.pipeline.ends import end_of
from provisioning.selectors.ends import standing
from provisioning.services import next_steps, planning
from tests.services.ending import NAME, left_out, trial
from tests.services.house import House
from tests.services.house import bare_house as bare_house
from tests.services.house import house as house
from tests.services.test_every_end import by_service, walked

pytestmark = pytest.mark.once  # over practice routers, the same on either database


def test_the_others_are_told_and_planned_without_putting_the_newer_plan_aside(house: House) -> None:
    with trial(house) as at:
        push = left_out(at)
        anew = push.change.pushes.get(router__name="nl6")
        assert (push.state, push.error_code) == ("STALE", "left-out")
        assert push.error.endswith("plans nl6 anew, and not this router")
        assert (anew.state, anew.error_code) == ("STALE", "") and anew.error.endswith("plans nl6 anew")
        assert [each.router.name for each in standing()] == [NAME]
        out = StringIO()
        with pytest.raises(SystemExit):
            call_command("next_step", str(push.change_id), stdout=out)
        assert f"--router {NAME} --do finish" in out.getvalue()
        done = next_steps.take(actor=house.noc[0], push=push, verb="finish", reason="the rest")
        assert done.change is not None and done.change.asked["routers"] == [NAME]


def test_of_the_rest_one_router_alone_is_planned_where_one_is_named(house: House) -> None:
    with trial(house) as at:
        at.untie(NAME, "nl6")
        older = planning.plan_domain(actor=house.noc[0], routers=["gr6", "nl6", NAME])
        planning.plan_domain(actor=house.noc[0], routers=["gr6"])
        call_command(
            *("next_step", str(older.pk), "--router", NAME, "--do", "finish", "--as", "anna"),
            *("--reason", "this one first"),
            stdout=StringIO(),
        )
        (made,) = type(older).objects.filter(planned_at=None)
        assert made.asked["routers"] == [NAME]


def test_it_leads_to_verified(house: House) -> None:
    end = end_of("STALE", "left-out")
    assert end is not None
    with trial(house) as at:
        assert walked(at, end, by_service) == ""
