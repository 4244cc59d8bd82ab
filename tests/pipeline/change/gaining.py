"""A plan that grows: an access list in use that gains entries on a practice router."""

from __future__ import annotations

from functools import cache

from provisioning.pipeline.change import ChangePlan
from provisioning.pipeline.diff import Owned
from provisioning.pipeline.mqc import RunningConfig
from tests.pipeline.change.test_plans import owned_after, plans_for
from tests.pipeline.practice import Oracle
from tests.pipeline.worlds import World

KIND = "7200-12.3T"


@cache
def gaining(count: int) -> ChangePlan:
    """The plan of a list that lets in one source and shall let in so many more."""
    running, owned = before()
    (plan,) = plans_for(running, _letting_in(1 + count).intent(KIND), KIND, owned)
    assert plan.violations == ()
    return plan


@cache
def before() -> tuple[RunningConfig, Owned]:
    """What the router holds then, and what of it is ours."""
    oracle = Oracle(KIND)
    plans = plans_for(oracle.read(), _letting_in(1).intent(KIND), KIND)
    for plan in plans:
        assert oracle.send(plan.commands) == []
    return oracle.read(), owned_after(plans)


def _letting_in(count: int) -> World:
    sources = (f"2001:db8:a:{number:x}::/64" for number in range(count))
    return World(
        cases=(("GAMMA", "filtered", True),),
        reservations=tuple(("GAMMA", source, "2001:db8:f::/48", None, 1_000) for source in sources),
    )
