"""The queues of several routers whose reservations share one link: what touches in time is never on it beside what it
follows, and whoever waits does not wait for ever.

The link, the charges and the pushes are a model of their own; of ours is only the rule.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime, timedelta
from functools import partial

from hypothesis import given
from hypothesis import strategies as st

from provisioning.pipeline.queue import Member, QueuedPlan, Standing, Work, decide
from tests.pipeline.properties import OF_VALUES

START = datetime(2026, 11, 23, 2, 0, tzinfo=UTC)
LEAD = timedelta(minutes=15)
STEP = timedelta(minutes=5)
SHARE = 10
ROUTERS = 3


@dataclass(eq=False)
class Asked:
    """A reservation: it enters at a router, crosses the link, and lasts from one step to another."""

    router: int
    rate: int
    begins: int
    ends: int
    on: bool = False
    given: bool = False

    @property
    def start(self) -> datetime:
        return START + self.begins * STEP

    @property
    def end(self) -> datetime:
        return START + self.ends * STEP


@dataclass
class Domain:
    """Three routers, one link, and the people who approve."""

    asked: dict[int, Asked]
    share: int = SHARE
    now: datetime = START
    plans: list[list[QueuedPlan]] = field(default_factory=lambda: [[] for _ in range(ROUTERS)])
    stored: int = 0

    def must_wait(self, together: Sequence[Work]) -> set[Member]:
        at = max(self.now, max(each.due for each in together))
        off = {each.member.request for each in together if not each.member.puts_on}
        comes = [each.member for each in together if each.member.puts_on]
        return {member for member in comes if self._follows(member.request, off, at)}

    def _follows(self, number: int, off: set[int], at: datetime) -> bool:
        """Whether it would be more than the share beside what is charged from then on and beside what is over but on."""
        mine = self.asked[number]
        others = [each for key, each in self.asked.items() if key not in {*off, number}]
        lingers = [each for each in others if each.on and each.end <= at]
        charged = [each for each in others if each not in lingers]
        instants = [at, *(each.start for each in charged if at < each.start < mine.end)]
        beside = max(sum(each.rate for each in charged if each.start <= i < each.end) for i in instants)
        return bool(lingers) and mine.rate + beside + sum(each.rate for each in lingers) > self.share

    def work(self, router: int) -> Iterator[Work]:
        for number, each in self.asked.items():
            if each.router == router and each.on:
                yield Work(Member(number, False), each.end, given=each.given)
            if each.router == router and not each.on and self.now < each.end:
                yield Work(Member(number, True), each.start, given=each.given)

    def look(self, router: int) -> None:
        work = list(self.work(router))
        decision = decide(work, self.plans[router], now=self.now, lead=LEAD, must_wait=self.must_wait)
        aside = {number for number, _why in decision.put_aside}
        self.plans[router] = [plan for plan in self.plans[router] if plan.id not in aside]
        if decision.batch:
            self.stored += 1
            self.plans[router].append(
                QueuedPlan(
                    id=self.stored,
                    due=max(each.due for each in decision.batch),
                    members=frozenset(each.member for each in decision.batch),
                    standing=Standing.APPROVED
                    if all(each.given for each in decision.batch)
                    else Standing.WAITING,
                )
            )

    def approve(self, wanted: Collection[int]) -> None:
        for plans in self.plans:
            plans[:] = [
                replace(plan, standing=Standing.APPROVED) if plan.id in wanted else plan for plan in plans
            ]

    def push(self, router: int) -> None:
        """Send the oldest plan that is approved, due and waits for nothing; who goes is off before who comes."""
        work = {each.member: each for each in self.work(router)}
        for plan in self.plans[router]:
            due = plan.standing is Standing.APPROVED and plan.due <= self.now and plan.members <= work.keys()
            if not due or self.must_wait([work[member] for member in plan.members]):
                continue
            self.plans[router].remove(plan)
            for member in sorted(plan.members, key=lambda each: each.puts_on):
                self.asked[member.request].on = member.puts_on
                carried = sum(each.rate for each in self.asked.values() if each.on)
                assert carried <= self.share or self.share < SHARE, "the link carries more than its share"
            return

    def settle(self) -> None:
        """Everybody approves whatever there is, and every router is at work, until nothing more happens."""
        for _ in range(4 * len(self.asked) + 4):
            for router in range(ROUTERS):
                self.look(router)
                self.approve([plan.id for plans in self.plans for plan in plans])
                self.push(router)

    def late(self) -> list[int]:
        """What is not on though its window is open, or on though it is over."""
        return [
            number for number, each in self.asked.items() if each.on != (each.start <= self.now < each.end)
        ]


def admitted(wishes: Sequence[tuple[int, int, int, int]]) -> dict[int, Asked]:
    """Those of the wishes, in turn, that fit beside the ones before them."""
    found: dict[int, Asked] = {}
    for router, rate, begins, long in wishes:
        each = Asked(router, rate, begins, begins + long)
        at_once = [
            sum(other.rate for other in found.values() if other.begins <= step < other.ends)
            for step in range(each.begins, each.ends)
        ]
        if max(at_once) + rate <= SHARE:
            found[len(found) + 1] = each
    return found


wishes = st.lists(
    st.tuples(st.integers(0, ROUTERS - 1), st.integers(2, 8), st.integers(0, 6), st.integers(1, 3)),
    min_size=2,
    max_size=14,
).map(admitted)


@OF_VALUES
@given(
    asked=wishes,
    events=st.lists(st.tuples(st.sampled_from(["look", "approve", "push"]), st.integers(0, 30)), max_size=60),
    ahead=st.frozensets(st.integers(1, 14)),
    moves=st.sampled_from([None, None, 3, 6]),
)
def test_whoever_follows_waits_and_nobody_waits_for_ever(
    asked: dict[int, Asked], events: list[tuple[str, int]], ahead: frozenset[int], moves: int | None
) -> None:
    domain = Domain(asked)
    for number in ahead & asked.keys():
        asked[number].given = True
    for step in range(12):
        domain.now = START + step * STEP
        if step == moves:
            domain.share = SHARE // 2  # as when the paths of more than before cross it
        for what, which in events[step * 5 : step * 5 + 5]:
            {
                "look": partial(domain.look, which % ROUTERS),
                "approve": partial(domain.approve, [which]),
                "push": partial(domain.push, which % ROUTERS),
            }[what]()
        if step % 3 == 2:
            domain.settle()
            assert not domain.late(), "something waits for ever"
    assert domain.stored <= 6 * len(asked) + 6
