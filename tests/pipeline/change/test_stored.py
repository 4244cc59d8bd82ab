"""What a plan keeps for every prefix is written by what it shares with the one before: nothing lost, nothing twice."""

from __future__ import annotations

import dataclasses
import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from provisioning.errors import InvalidInput
from provisioning.pipeline.change.stored import (
    SHARED,
    WHOLE,
    proof_from_json,
    proof_to_json,
    shared,
    undo_to_json,
    whole,
)
from provisioning.pipeline.diff import Line
from provisioning.pipeline.intent import Role
from provisioning.pipeline.safety import InterfaceQos, LineState, Marker
from tests.pipeline.change.gaining import before, gaining
from tests.pipeline.change.test_plans import CIRCUMSTANCES

words = st.lists(st.sampled_from("abc"), max_size=6).map(tuple)


@given(st.lists(words, max_size=6))
def test_every_sequence_comes_back_as_it_was(sequences):
    assert list(whole(shared(sequences))) == sequences


@given(words, words)
def test_what_is_shared_is_as_long_as_it_can_be(before, now):
    _, (head, middle, tail) = shared((before, now))
    assert now == before[:head] + middle + before[len(before) - tail :]
    longest = next(n for n in range(min(len(before), len(now)), -1, -1) if before[:n] == now[:n])
    assert head == longest
    rest = min(len(before), len(now)) - head
    assert tail == next(n for n in range(rest, -1, -1) if before[len(before) - n :] == now[len(now) - n :])


@pytest.mark.parametrize(("head", "tail"), [(-1, 0), (0, -1), (2, 2), (4, 0), (0, 4)])
def test_more_than_there_was_cannot_be_shared(head, tail):
    with pytest.raises(InvalidInput, match=f"takes {head} and {tail} items of a sequence of 3") as refused:
        list(whole([(0, ("a", "b", "c"), 0), (head, ("x",), tail)]))
    assert refused.value.field == "plan"
    assert list(whole([(0, ("a", "b", "c"), 0), (1, ("x",), 2)]))[1] == ("a", "x", "b", "c")


def test_an_undo_is_its_lines_and_how_much_it_shares():
    first, second, third = Line("one"), Line("two", depth=1), Line("three")
    assert undo_to_json([(), (first,), (first, second), (first, third, second)]) == [
        [0, [], 0],
        [0, [first.to_json()], 0],
        [1, [second.to_json()], 0],
        [1, [third.to_json()], 1],
    ]


lists = st.lists(
    st.sampled_from([f"permit ipv6 2001:db8:{i}::/48 any" for i in range(4)]), max_size=4, unique=True
).map(tuple)
qos = st.builds(
    InterfaceQos,
    interface=st.sampled_from(["POS1/0", "ATM2/0.1"]),
    pvc=st.sampled_from([None, "0/32"]),
    role=st.sampled_from(Role),
    policy_in=st.sampled_from([None, "A", "B"]),
    policy_out=st.sampled_from([None, "C"]),
    marker=st.sampled_from([None, *Marker]),
    ef_rate=st.sampled_from(["none", "percent 5"]),
    remarks_rest=st.booleans(),
    ef_queue=st.booleans(),
    authorised=lists,
    partial=lists,
    exempted=lists,
)
line_states = st.builds(
    LineState,
    line=st.sampled_from([None, "interface POS1/0"]),
    states=st.lists(qos, max_size=3).map(tuple),
    violations=st.sampled_from([(), ("unsafe", "very")]),
    gap=st.booleans(),
)


@given(st.lists(line_states, max_size=5).map(tuple))
def test_every_state_of_a_proof_comes_back_as_it_was(proof):
    assert proof_from_json(json.loads(json.dumps(proof_to_json(proof)))) == proof


def test_of_a_state_only_what_is_other_than_before_is_written():
    state = InterfaceQos("POS1/0", None, Role.ACCESS, "A", None, Marker.ACL, "none", True, False, ("x", "y"))
    later = dataclasses.replace(state, policy_in=None, authorised=("x", "z", "y"))
    told = proof_to_json([LineState(None, (state,)), LineState("no", (later,), ("bad",), True)])
    assert told[1] == {
        "line": "no",
        "states": [{"interface": "POS1/0", "pvc": None, "policy_in": None, "authorised": [1, ["z"], 1]}],
        "violations": ["bad"],
        "gap": True,
    }
    assert "violations" not in told[0]
    assert "gap" not in told[0]


def test_a_stored_plan_grows_with_its_lines():
    few, many = (len(json.dumps(gaining(count).to_json())) for count in (20, 80))
    lines = len(gaining(80).commands) / len(gaining(20).commands)
    assert many < few * lines
    assert len(json.dumps(dataclasses.replace(gaining(80), form=WHOLE).to_json())) > 6 * many


def test_a_fingerprint_covers_every_line_of_every_undo_and_every_state():
    plan = gaining(5)
    assert plan.form == SHARED
    running, _ = before()
    said = {plan.fingerprint_now(running, CIRCUMSTANCES)}
    assert said == {plan.fingerprint}
    for at, undo in enumerate(plan.undo):
        for place, line in enumerate(undo):
            other = (*undo[:place], dataclasses.replace(line, text="exit"), *undo[place + 1 :])
            changed = dataclasses.replace(plan, undo=(*plan.undo[:at], other, *plan.undo[at + 1 :]))
            said.add(changed.fingerprint_now(running, CIRCUMSTANCES))
    assert len(said) == 1 + sum(map(len, plan.undo))
    for name in ("proof", "back"):
        proof = getattr(plan, name)
        for at, state in enumerate(proof):
            other = dataclasses.replace(state, violations=("unsafe",))
            changed = dataclasses.replace(plan, **{name: (*proof[:at], other, *proof[at + 1 :])})
            said.add(changed.fingerprint_now(running, CIRCUMSTANCES))
    assert len(said) == 1 + sum(map(len, plan.undo)) + len(plan.proof) + len(plan.back)
    said.add(dataclasses.replace(plan, form=WHOLE).fingerprint_now(running, CIRCUMSTANCES))
    assert len(said) == 2 + sum(map(len, plan.undo)) + len(plan.proof) + len(plan.back)
