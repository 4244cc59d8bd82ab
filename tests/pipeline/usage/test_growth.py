"""Whatever happens to a router's counters, no more is said to have been sent than was, and nothing negative."""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta

from hypothesis import given, settings
from hypothesis import strategies as st

from provisioning.pipeline.usage import Count, Interval, Look, Place, interval, used_between, with_missing

BEGAN = datetime(2026, 3, 1, tzinfo=UTC)
HERE = Place("POS1/0", "", "input", "FILTERED-IN", ("EF-FILTERED",))


@dataclass
class Simulated:
    """A router that counts one class, and what was really sent, by a clock of its own that nobody sets."""

    bits: int
    seconds: float = 0.0
    booted: float = -7200.0
    clock_off: float = 0.0
    policy: str = "FILTERED-IN"
    counted: dict[str, int] = field(default_factory=dict)
    sent: dict[str, int] = field(default_factory=dict)
    was_reset: bool = False

    def __post_init__(self) -> None:
        self.counted = dict.fromkeys(("packets", "bytes", "passed", "over", "queue"), 0)
        self.sent = dict(self.counted)

    def send(self, packets: int, size: int, over: int) -> None:
        over = min(over, packets)
        more = {
            "packets": packets,
            "bytes": packets * size,
            "passed": packets - over,
            "over": over,
            "queue": over // 2,
        }
        for name, number in more.items():
            self.sent[name] += number
            self.counted[name] = (self.counted[name] + number) % 2**self.bits

    def begin_again(self, *names: str) -> None:
        """All counters, or those that somebody typed anew."""
        self.counted |= dict.fromkeys(names or self.counted, 0)
        self.was_reset = True

    def look(self, *, hidden: bool = False) -> Look:
        at = BEGAN + timedelta(seconds=self.seconds + self.clock_off)
        place = Place(HERE.interface, HERE.pvc, HERE.direction, self.policy, HERE.classes)
        count = Count(
            packets=self.counted["packets"],
            bytes=self.counted["bytes"],
            passed_packets=self.counted["passed"],
            dropped_packets=self.counted["over"],
            queue_drops=self.counted["queue"],
        )
        return Look(at, int(self.seconds - self.booted) // 60 * 60, {} if hidden else {place: count})


deeds = st.one_of(
    st.tuples(st.just("send"), st.integers(0, 60_000), st.integers(40, 9000), st.integers(0, 5000)),
    st.tuples(st.just("wait"), st.floats(0, 4000)),
    st.tuples(st.just("clear")),
    st.tuples(st.just("reload")),
    st.tuples(st.just("rebind")),
    st.tuples(st.just("policer anew")),
    st.tuples(st.just("queue anew")),
    st.tuples(st.just("hidden look")),
    st.tuples(st.just("set clock"), st.floats(-9000, 9000)),
    st.tuples(st.just("look")),
)


@settings(max_examples=600, deadline=None)
@given(st.lists(deeds, max_size=40), st.sampled_from([32, 64]), st.integers(0, 2**32 - 1))
def test_no_more_is_said_than_was_sent(course: list[tuple[object, ...]], bits: int, began_at: int) -> None:
    router = Simulated(bits)
    router.counted["bytes"] = began_at
    before = router.look()
    sent_before = dict(router.sent)
    said = dict.fromkeys(router.sent, 0)
    for deed, *how in [*course, ("wait", 2.0), ("look",)]:
        match deed:
            case "send":
                router.send(*how)  # type: ignore[arg-type]
                router.seconds += 1.5
            case "wait":
                router.seconds += how[0]  # type: ignore[operator]
            case "clear":
                router.begin_again()
            case "reload":
                router.begin_again()
                router.seconds += 120
                router.booted = router.seconds
            case "rebind":
                router.begin_again()
                router.policy = (
                    f"FILTERED-IN-{int(router.policy.rpartition('-')[2]) + 1}"
                    if router.policy[-1].isdigit()
                    else "FILTERED-IN-2"
                )
            case "policer anew":
                router.begin_again("passed", "over")
            case "queue anew":
                router.begin_again("queue")
            case "set clock":
                router.clock_off += how[0]  # type: ignore[operator]
            case "look" | "hidden look":
                now = router.look(hidden=deed != "look")
                found = used_between(before, now)
                if found is None:
                    continue
                between, shown = found
                assert between.seconds is None or between.seconds > 0
                before = with_missing(before, now)
                if not shown:
                    continue
                (used,) = shown
                grown = {
                    "packets": used.count.packets,
                    "bytes": used.count.bytes,
                    "passed": used.count.passed_packets,
                    "over": used.count.dropped_packets,
                    "queue": used.count.queue_drops,
                }
                for name, number in grown.items():
                    assert number is not None
                    really = router.sent[name] - sent_before[name]
                    assert 0 <= number <= really, name
                    if not router.was_reset and not used.is_at_least:
                        assert number == really, name
                    said[name] += number
                sent_before, router.was_reset = dict(router.sent), False
    assert all(said[name] <= router.sent[name] for name in said)


def _look(seconds: float, *, up: int | None = None, **count: int) -> Look:
    return Look(BEGAN + timedelta(seconds=seconds), up, {HERE: Count(**count)})


def test_the_time_between_two_looks_survives_a_clock_that_is_set() -> None:
    assert interval(_look(0, up=7200), _look(300, up=7500)) == Interval(300.0)
    assert interval(_look(0, up=7200), _look(3900, up=7500)) == Interval(300.0, is_clock_wrong=True)
    assert interval(_look(0, up=7200), _look(-3300, up=7500)) == Interval(300.0, is_clock_wrong=True)
    assert interval(_look(0), _look(-10)) is None
    assert interval(_look(0, up=7260), _look(-20, up=7200)) is None  # one that was kept late
    assert interval(_look(0, up=7200), _look(300, up=60)) == Interval(300.0, is_reloaded=True)


def test_two_looks_in_one_second_are_one() -> None:
    assert used_between(_look(0, packets=1, bytes=100), _look(0.9, packets=2, bytes=200)) is None


def test_a_counter_of_32_bits_wraps_and_another_one_was_cleared() -> None:
    found = used_between(_look(0, packets=1000, bytes=2**32 - 500), _look(300, packets=1010, bytes=9500))
    assert found is not None
    assert (found[1][0].count.bytes, found[1][0].is_at_least) == (10_000, False)
    found = used_between(_look(0, packets=1000, bytes=1_000_000), _look(300, packets=1010, bytes=9500))
    assert found is not None
    assert (found[1][0].count.packets, found[1][0].count.bytes, found[1][0].is_at_least) == (1010, 9500, True)


def test_more_than_the_line_carries_was_not_sent() -> None:
    before, now = _look(0, packets=0, bytes=0), _look(300, packets=10**9, bytes=10**12)
    found = used_between(before, now, line_rates={"POS1/0": 155_000_000})
    assert found is not None
    assert (found[1][0].count.bytes, found[1][0].is_at_least) == (0, True)
