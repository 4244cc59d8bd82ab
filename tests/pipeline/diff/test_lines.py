"""What a plan is made of survives being kept as JSON, and goes out in the writes it says."""

from __future__ import annotations

import json

import pytest

from provisioning.pipeline.diff import Conflict, ConflictKind, Gap, Line, Step, Takeover, as_text, write_units

HEAD, OFF, ON = (
    Line("interface POS1/0"),
    Line("no service-policy input A", 1),
    Line("service-policy input B", 1, True),
)


@pytest.mark.parametrize(
    ("value", "kept"),
    [
        (Line("end"), {"text": "end", "depth": 0, "joined": False, "step": None}),
        (
            Line("police cir percent 5", 2, True, Step.DECREASE),
            {"text": "police cir percent 5", "depth": 2, "joined": True, "step": "decrease"},
        ),
        (
            Gap("ATM5/0.1", "0/32", "input", "A", "B", 3, True, False, "a write", "nobody marks"),
            {
                "interface": "ATM5/0.1",
                "pvc": "0/32",
                "direction": "input",
                "old": "A",
                "new": "B",
                "after_line": 3,
                "unmarked": True,
                "unpoliced": False,
                "lasts": "a write",
                "text": "nobody marks",
            },
        ),
        (
            Conflict(ConflictKind.HAND_EDIT, "class-map", "EF", "one", "other", "was edited"),
            {
                "kind": "hand-edit",
                "object_kind": "class-map",
                "name": "EF",
                "expected": "one",
                "found": "other",
                "text": "was edited",
            },
        ),
        (Takeover("class-map", "EF", "abc"), {"object_kind": "class-map", "name": "EF", "digest": "abc"}),
    ],
    ids=["bare line", "line", "gap", "conflict", "takeover"],
)
def test_kept_as_json_under_these_names_it_is_the_same(value, kept):
    """Plans are stored: a name that changes would make those of yesterday unreadable."""
    assert value.to_json() == kept
    assert type(value).from_json(json.loads(json.dumps(kept))) == value


def test_a_line_kept_before_steps_were_has_none():
    assert Line.from_json({"text": "end", "depth": 0, "joined": False}) == Line("end")


def test_a_joined_line_goes_out_with_the_one_before_it():
    assert write_units([HEAD, OFF, ON, HEAD]) == ((HEAD,), (OFF, ON), (HEAD,))
    assert write_units([HEAD, HEAD, OFF, ON, ON])[2:] == ((OFF, ON, ON),)
    assert write_units([ON, HEAD]) == ((ON,), (HEAD,))
    assert write_units([]) == ()


def test_lines_for_a_person_are_indented_by_depth():
    assert as_text([HEAD, OFF, Line("x", 2)]) == "interface POS1/0\n no service-policy input A\n  x\n"
    assert as_text([]) == ""
