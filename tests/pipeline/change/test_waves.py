"""A canary, then waves: which pushes of a phase may be under way."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from provisioning.pipeline.states import PushState
from provisioning.pipeline.waves import NOTHING_SENT, Member, Waves, later_than, open_wave, waves
from tests.pipeline.properties import PROPERTY

P = PushState


def members(*states: PushState) -> list[Member]:
    return [Member(key, 100 + key, state) for key, state in enumerate(states)]


def keys(found: list[Member]) -> list[int]:
    return [member.key for member in found]


def test_without_a_rule_all_are_one_wave() -> None:
    assert keys(open_wave(members(P.APPROVED, P.PUSHING, P.APPROVED), Waves())) == [0, 1, 2]


def test_the_canary_goes_first_and_what_it_may_not_do_nobody_does() -> None:
    how = Waves(canary=1)
    assert keys(open_wave(members(*[P.APPROVED] * 3), how)) == [0]
    for bad in (P.PUSHING, P.UNKNOWN, P.ROLLED_BACK):
        found = members(bad, P.APPROVED, P.APPROVED)
        assert keys(open_wave(found, how)) == [0]
        assert keys(later_than(found, how, 0)) == [1, 2]
    assert keys(open_wave(members(P.VERIFIED, P.APPROVED, P.APPROVED), how)) == [0 + 1, 2]


def test_a_canary_to_which_nothing_was_sent_says_nothing_and_another_goes_first() -> None:
    for state in NOTHING_SENT:
        found = members(state, P.APPROVED, P.APPROVED)
        assert keys(open_wave(found, Waves(canary=1))) == [1]
        assert later_than(found, Waves(canary=1), 0) == []


def test_a_wave_begins_when_the_one_before_is_verified_whole() -> None:
    how = Waves(canary=1, size=2)
    found = members(P.VERIFIED, P.VERIFIED, P.UNKNOWN, P.APPROVED, P.APPROVED, P.APPROVED)
    assert [keys(wave) for wave in waves(found, how)] == [[0], [1, 2], [3, 4], [5]]
    assert keys(open_wave(found, how)) == [1, 2]
    assert keys(later_than(found, how, 2)) == [3, 4, 5]
    assert open_wave(members(P.VERIFIED, P.VERIFIED), how) == []


@PROPERTY
@given(
    st.lists(st.sampled_from(list(PushState)), max_size=12),
    st.integers(0, 3),
    st.none() | st.integers(1, 4),
)
def test_nobody_is_let_in_before_what_goes_before_is_verified(
    states: list[PushState], canary: int, size: int | None
) -> None:
    found, how = members(*states), Waves(canary=canary, size=size)
    cut = waves(found, how)
    assert [each for wave in cut for each in wave] == [
        each for each in found if each.state not in NOTHING_SENT
    ]
    assert all(len(wave) <= max(canary, size or len(found)) for wave in cut)
    opened = open_wave(found, how)
    for wave in cut[: cut.index(opened)] if opened else cut:
        assert all(each.state is PushState.VERIFIED for each in wave)
