"""`mqc diff --explain`: the marks it goes by are said, and what is said of other marks is the truth."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.management.test_mqc_refusals import differ

BEFORE = """\
class-map match-all EF
 match dscp 46
class-map match-all NEXT
 match dscp 47
policy-map IN
 class EF
  police cir percent 5
 class NEXT
{next} class class-default
{rest}interface POS1/0
 bandwidth 155000
"""
BOUND = BEFORE.partition("interface")[0] + "interface POS1/0\n service-policy input IN\n"


def explained(tmp_path: Path, *options: str, police: str = "", rest: str = "  set dscp 0\n") -> list[str]:
    texts = {"next": police, "rest": rest}
    running, intended = BEFORE.format(**texts), BOUND.format(**texts)
    status, said, told = differ(tmp_path, intended, "--explain", *options, running=running)
    assert status == 1, told
    return said.partition("! rollback")[0].splitlines()


def end(lines: list[str]) -> str:
    return lines[lines.index("! end") + 1]


def test_the_mark_of_a_class_is_told_apart_from_the_rest_with_what_polices_it(tmp_path: Path) -> None:
    assert end(explained(tmp_path)) == (
        "!   POS1/0: IN: the NREN marks; EF policed at 5 % of BW = 7.75 Mbit/s; DSCP 47 KEEPS ITS MARKING, NOT POLICED; "
        "the rest becomes DSCP 0"
    )
    assert end(explained(tmp_path, police="  police cir percent 2\n")) == (
        "!   POS1/0: IN: the NREN marks; EF policed at 5 % of BW = 7.75 Mbit/s; DSCP 47 KEEPS ITS MARKING, policed at 2 % "
        "of BW = 3.1 Mbit/s; the rest becomes DSCP 0"
    )


def test_the_rest_keeps_its_marking_where_it_does(tmp_path: Path) -> None:
    lines = explained(tmp_path, police="  police cir percent 2\n", rest="  bandwidth percent 10\n")
    assert "DSCP 47 KEEPS ITS MARKING, policed at 2 %" in end(lines)
    assert end(lines).endswith("; THE REST KEEPS ITS MARKING")


def test_the_marks_it_goes_by_are_said(tmp_path: Path) -> None:
    lines = explained(tmp_path)
    assert lines[-1].startswith("! marks assumed (--marks says others): DSCP 46 (ef) ")
    lines = explained(tmp_path, "--marks", "ef,47/cs1")
    assert lines[-1].startswith("! marks: DSCP 46 (ef) and DSCP 47 ")
    told = json.loads(differ(tmp_path, BOUND.format(next="", rest="  set dscp 0\n"), "--explain", "--json",
                             running=BEFORE.format(next="", rest="  set dscp 0\n"))[1])  # fmt: skip
    assert told["explanation"]["marks"] == {"premium": [46], "allowed": [0, 8, 46], "assumed": True}


def test_marks_that_are_given_are_what_is_policed(tmp_path: Path) -> None:
    assert "EF IS NOT POLICED; the rest becomes DSCP 0" in end(explained(tmp_path, "--marks", "46,47"))
    policed = end(explained(tmp_path, "--marks", "46,47", police="  police cir percent 2\n"))
    assert "policed at 2 % of BW = 3.1 Mbit/s + 5 % of BW = 7.75 Mbit/s; the rest becomes DSCP 0" in policed
    allowed = end(explained(tmp_path, "--marks", "46/47"))
    assert allowed.endswith("EF policed at 5 % of BW = 7.75 Mbit/s; the rest becomes DSCP 0")


@pytest.mark.parametrize(
    ("options", "reason"),
    [
        (("--explain", "--marks", "64"), "--marks: 64 is not within 0..63"),
        (("--explain", "--marks", "46/"), "names nothing behind the slash"),
        (("--explain", "--marks", ""), "--marks"),
        (("--marks", "46"), "--marks says what --explain goes by"),
    ],
)
def test_marks_that_are_none(options: tuple[str, ...], reason: str, tmp_path: Path) -> None:
    status, said, told = differ(tmp_path, BOUND.format(next="", rest="  set dscp 0\n"), *options)
    assert (status, said) == (2, "")
    assert reason in told
