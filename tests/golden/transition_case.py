"""Changes of a network that is in service, one router each: what it held, what somebody did to it, what it shall hold."""

from __future__ import annotations

import dataclasses
from dataclasses import dataclass
from itertools import permutations

from provisioning.pipeline.change import ChangePlan, Circumstances, build_plans
from provisioning.pipeline.diff import Owned
from provisioning.pipeline.intent import RouterIntent, removal
from provisioning.pipeline.mqc import RunningConfig
from provisioning.pipeline.platforms import Profile
from tests.golden.case import RENDERER
from tests.pipeline.practice import BANDWIDTHS, profile_of
from tests.pipeline.worlds import World

CIRCUMSTANCES = Circumstances("TBM1", "ssh-rsa AAAA", "rev", "scheme", "templates", BANDWIDTHS)
FIRST = ("BETA", "2001:db8:a::/48", "2001:db8:f::/48", None, 1_000_000)
SLOWER = ("BETA", "2001:db8:a::/48", "2001:db8:f::/48", None, 750_000)
SECOND = ("BETA", "2001:db8:c::/48", "2001:db8:f::/48", None, 500_000)
THIRD = ("BETA", "2001:db8:b::/48", "2001:db8:f::/48", None, 500_000)

LIVE = World(
    cases=(("ALPHA", "trusted", True), ("BETA", "filtered", True)),
    reservations=(FIRST, SECOND),
)


@dataclass(frozen=True)
class Transition:
    """`after` None takes everything off; `by_hand` is typed at the console before anything is read.

    `gaps` is how many swaps the plan may need: where IOS leaves a way without one, none. `equal_today`
    is how many rates of the router come to the intended percentage at the BW of now: named, and changed all the same.
    """

    name: str
    kind: str
    before: World
    after: World | None
    gaps: int = 0
    by_hand: tuple[str, ...] = ()
    repair: bool = False
    equal_today: int = 0

    @property
    def profile(self) -> Profile:
        return profile_of(self.kind)

    def wanted_before(self) -> RouterIntent:
        """What the router held, and what it was seen to hold."""
        return self.before.intent(self.kind)

    def wanted(self) -> RouterIntent:
        """What it shall hold."""
        return removal(self.wanted_before()) if self.after is None else self.after.intent(self.kind)

    def plans(self, running: RunningConfig, wanted: RouterIntent, owned: Owned) -> tuple[ChangePlan, ...]:
        """One plan per phase, from what was read to what is wanted."""
        return build_plans(
            self.name, running, wanted, owned, RENDERER, self.profile, CIRCUMSTANCES, repair=self.repair
        )


def _case(case: str) -> World:
    return dataclasses.replace(LIVE, cases=(("ALPHA", "trusted", True), ("BETA", case, True)))


def _reserved(*reservations: tuple[str, str, str, int | None, int]) -> World:
    return dataclasses.replace(LIVE, reservations=reservations)


_GRANTS = dataclasses.replace(LIVE, policer="grants")
_CASES = ("non-participant", "trusted", "filtered")
_KINDS_IN_TURN = ("12000", "7200-12.3T", "7200-hqf")

TRANSITIONS: tuple[Transition, ...] = (
    Transition("rate-down", "12000", LIVE, dataclasses.replace(LIVE, ef_percent=4)),
    Transition("rate-up", "7200-12.3T", LIVE, dataclasses.replace(LIVE, ef_percent=10)),
    Transition(
        "rate-with-the-grants",
        "7200-hqf",
        _GRANTS,
        dataclasses.replace(_GRANTS, reservations=(SLOWER, SECOND)),
    ),
    Transition("class-order", "12000", LIVE, dataclasses.replace(LIVE, lbe_first=True), gaps=2),
    Transition("entry-added", "12000", LIVE, _reserved(FIRST, SECOND, THIRD)),
    Transition("entry-removed", "7200-12.3T", LIVE, _reserved(FIRST)),
    Transition(
        "entry-added-to-a-list-numbered-anew",
        "12000",
        LIVE,
        _reserved(FIRST, SECOND, THIRD),
        by_hand=(
            "ipv6 access-list nren-auth-ef",
            "sequence 5 permit ipv6 2001:DB8:E::/48 any",
            "no sequence 10",
            "sequence 1 permit ipv6 2001:db8:a::/48 2001:db8:f::/48",
            "no sequence 5",
        ),
    ),
    # A remark hides the numbers of the other entries on this train: there is no exact way back but a new list.
    Transition(
        "remark-taken-out",
        "12000",
        LIVE,
        LIVE,
        gaps=1,
        by_hand=("ipv6 access-list nren-auth-ef", "sequence 5 remark asked for by telephone"),
        repair=True,
    ),
    Transition(
        "rate-typed-for-the-percentage-it-equals-today",
        "12000",
        LIVE,
        LIVE,
        by_hand=("policy-map TRUSTED-IN", "class EF", "police cir 7750000"),
        repair=True,
        equal_today=1,
    ),
    *(
        Transition(
            f"{old}-to-{new}", _KINDS_IN_TURN[number % len(_KINDS_IN_TURN)], _case(old), _case(new), gaps=1
        )
        for number, (old, new) in enumerate(permutations(_CASES, 2))
    ),
    Transition("everything-off", "12000", LIVE, None),
)
