"""The rule of the queue under any course of events: it comes to rest, nobody is forgotten, plans do not multiply.

The world around it is a model of its own: requests begin, end and are withdrawn, people open, approve late or never,
pushes succeed or fail, at instants drawn at random. The rule is asked whenever an event would ask it.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from datetime import UTC, datetime, timedelta

from hypothesis import given
from hypothesis import strategies as st

from provisioning.pipeline.queue import Decision, Member, QueuedPlan, Standing, Work, decide
from tests.pipeline.properties import OF_VALUES

START = datetime(2026, 11, 22, 2, 0, tzinfo=UTC)
LEAD = timedelta(minutes=15)
Event = tuple[str, int, int]


@dataclass
class Wish:
    """One request as the model has it: when it begins and ends, whether it is on, and why it waits."""

    begins: datetime
    ends: datetime
    on: bool = False
    over: bool = False
    alone: bool = False
    held: str = ""
    given: bool = False


@dataclass
class World:
    """A router's queue with everything that happens around it."""

    wishes: dict[int, Wish]
    bad: frozenset[int]
    differs: frozenset[int] = frozenset()
    now: datetime = START
    plans: list[QueuedPlan] = field(default_factory=list)
    stored: int = 0
    events: int = 0
    look_at: datetime | None = None
    failures: int = 0

    def work(self) -> list[Work]:
        found = []
        for number, wish in self.wishes.items():
            ended = wish.over or wish.ends <= self.now
            if not wish.on and not ended:
                found.append(Work(Member(number, True), wish.begins, wish.alone, wish.held, wish.given))
            if wish.on:
                due = min(wish.ends, self.now) if wish.over else wish.ends
                found.append(Work(Member(number, False), due, wish.alone, wish.held, wish.given))
        return found

    def look(self) -> Decision:
        decision = decide(self.work(), self.plans, now=self.now, lead=LEAD)
        aside = {number for number, _why in decision.put_aside}
        assert not aside & {plan.id for plan in self.plans if plan.standing is Standing.UNDER_WAY}
        for plan in self.plans:
            if plan.id in aside and plan.standing is Standing.APPROVED:
                gone = plan.members - {each.member for each in self.work() if not each.held}
                assert gone, "an approved plan is put aside only when its own lines would no longer be right"
        self.plans = [plan for plan in self.plans if plan.id not in aside]
        if decision.batch:
            assert len({each.member for each in decision.batch}) == len(decision.batch)
            assert not any(plan.standing is Standing.UNDER_WAY for plan in self.plans)
            self.stored += 1
            self.plans.append(
                QueuedPlan(
                    id=self.stored,
                    due=max(each.due for each in decision.batch),
                    members=frozenset(each.member for each in decision.batch),
                    standing=Standing.WAITING,
                )
            )
        self.look_at = decision.look_at
        if decision.batch and all(each.given for each in decision.batch):
            self._hold_against_what_was_approved_ahead()
        return decision

    def _hold_against_what_was_approved_ahead(self) -> None:
        """The newest plan goes by itself when it has the lines that were approved; else it waits, and so counts as any."""
        plan = self.plans[-1]
        numbers = {member.request for member in plan.members}
        if numbers & self.differs:
            for number in numbers:
                self.wishes[number].given = False
            self.look()
        else:
            self._change(len(self.plans) - 1, standing=Standing.APPROVED)

    def happen(self, what: str, which: int, minutes: int) -> None:
        """One event, then the looks it causes."""
        self.pass_time(timedelta(minutes=minutes))
        number = sorted(self.wishes)[which % len(self.wishes)]
        if what == "withdraw" and not self.wishes[number].over:
            self.wishes[number].over = True
            self.events += 1
        elif what == "give" and not self.wishes[number].given:
            self.wishes[number].given = True
            self.events += 1
        elif what == "open" and self.plans:
            self._change(which, opened=True)
        elif what == "approve" and self.plans:
            self._change(which, standing=Standing.APPROVED)
        self.push()
        self.look()

    def pass_time(self, step: timedelta) -> None:
        """Let time go by, looking whenever the queue asked to be looked at."""
        until = self.now + step
        for _ in range(1000):
            if self.look_at is None or self.look_at > until:
                break
            self.now = max(self.now, self.look_at)
            self.push()
            self.look()
        self.now = until

    def push(self) -> None:
        """Send what is approved and due; a request that no router takes fails whatever goes with it."""
        for plan in [
            each for each in self.plans if each.standing is Standing.APPROVED and each.due <= self.now
        ]:
            self.plans.remove(plan)
            numbers = {member.request for member in plan.members}
            if any(member.puts_on and self.wishes[member.request].over for member in plan.members):
                continue  # stale: it is found at the last look before the first line
            if numbers & self.bad:
                self.failures += 1
                for number in numbers:
                    wish = self.wishes[number]
                    if len(numbers) == 1:
                        wish.held = "a line of it was refused"
                    wish.alone = True
                continue
            for member in plan.members:
                self.wishes[member.request].on = member.puts_on
                self.wishes[member.request].alone = False

    def _change(self, which: int, *, opened: bool = False, standing: Standing | None = None) -> None:
        index = which % len(self.plans)
        plan = self.plans[index]
        if opened and plan.standing is Standing.WAITING:
            plan = replace(plan, opened=plan.opened or self.now, looked=self.now)
        if standing is not None:
            plan = replace(plan, standing=standing)
        self.plans[index] = plan


wishes = st.lists(st.tuples(st.integers(-30, 90), st.integers(1, 120)), min_size=2, max_size=12).map(
    lambda windows: {
        number: Wish(START + timedelta(minutes=at), START + timedelta(minutes=at + long))
        for number, (at, long) in enumerate(windows, 1)
    }
)
events = st.lists(
    st.tuples(
        st.sampled_from(["withdraw", "open", "approve", "approve", "give", "nothing"]),
        st.integers(0, 40),
        st.integers(0, 40),
    ),
    max_size=30,
)


@OF_VALUES
@given(
    wishes=wishes,
    events=events,
    bad=st.frozensets(st.integers(1, 12), max_size=2),
    ahead=st.frozensets(st.integers(1, 12)),
    differs=st.frozensets(st.integers(1, 12), max_size=3),
)
def test_a_queue_comes_to_rest_and_forgets_nobody(
    wishes: dict[int, Wish],
    events: list[Event],
    bad: frozenset[int],
    ahead: frozenset[int],
    differs: frozenset[int],
) -> None:
    world = World(wishes, bad & frozenset(wishes), differs)
    for number in ahead & frozenset(wishes):
        world.wishes[number].given = True
        world.events += 1
    world.look()
    for what, which, minutes in events:
        world.happen(what, which, minutes)
        due = [plan for plan in world.plans if plan.due <= world.now]
        assert len(due) <= 2, "at most one that stands and one more"
    # Everybody approves whatever there is, until nothing comes any more.
    for _ in range(6 * len(wishes) + 10):
        world.plans = [
            replace(plan, standing=Standing.APPROVED) if plan.standing is Standing.WAITING else plan
            for plan in world.plans
        ]
        world.push()
        world.look()
        if not world.plans and world.look_at is not None:
            world.pass_time(max(world.look_at - world.now, timedelta(0)))
        elif not world.plans:
            break
        else:
            world.pass_time(timedelta(minutes=30))
    assert not world.plans
    for number, wish in world.wishes.items():
        done = not wish.on and (wish.over or wish.ends <= world.now)
        assert done or wish.held or (wish.on and wish.held), f"{number} was forgotten"
        if wish.held:
            assert number in world.bad
    # Each begins, ends, may be withdrawn, and approved ahead.
    changes = 2 * len(wishes) + world.events
    assert world.stored <= 2 * (changes + world.failures)


@OF_VALUES
@given(wishes=wishes, events=events)
def test_the_rule_says_the_same_whoever_asks_and_in_whatever_order(
    wishes: dict[int, Wish], events: list[Event]
) -> None:
    world = World(wishes, frozenset())
    world.look()
    for what, which, minutes in events[:8]:
        world.happen(what, which, minutes)
    forward = decide(world.work(), world.plans, now=world.now, lead=LEAD)
    backward = decide(world.work()[::-1], world.plans[::-1], now=world.now, lead=LEAD)
    assert forward == backward
