"""What is no configuration by its size or its bytes is refused before it is read; what is odd but small is read."""

from __future__ import annotations

import random

import pytest

from provisioning.errors import ParseFailure
from provisioning.pipeline import counters, ios
from provisioning.pipeline.ios import lines

LONG = "d" * (lines.MAX_LINE + 1)
REFUSED = {
    "random bytes": (random.Random(6).randbytes(4096).decode("latin-1"), "binary", None),
    "random bytes without zeros": (
        random.Random(6).randbytes(2**20).replace(b"\0", b"x").decode("latin-1"),
        "no IOS configuration",
        0,
    ),
    "UTF-16 taken for UTF-8": ("version 12.4\nend\n".encode("utf-16-le").decode("latin-1"), "binary", 1),
    "one line": ("x" * 10**6, "the line is longer", 1),
    "a description": (f"hostname r\ninterface POS1/0\n description {LONG}\n", "the line is longer", 3),
    "a long last line": (f"hostname r\n!\n{LONG}", "the line is longer", 3),
    "ten million empty lines": ("\n" * 10**7, "more than", lines.MAX_LINES + 1),
    "a million class-maps": (
        "".join(f"class-map match-all C{number}\n" for number in range(10**6)),
        "more than",
        lines.MAX_LINES + 1,
    ),
    "too many characters": ("hostname r\n" * (lines.MAX_CHARACTERS // 11 + 1), "longer than", 0),
}


@pytest.mark.parametrize(("text", "reason", "line"), REFUSED.values(), ids=REFUSED.keys())
def test_refused_by_size_or_bytes(text: str, reason: str, line: int | None) -> None:
    for read in (ios.parse, counters.parse) if text.strip() else (ios.parse,):
        with pytest.raises(ParseFailure) as caught:
            read(text)
        if read is ios.parse:
            assert reason in caught.value.reason
            assert line is None or caught.value.line == line
    with pytest.raises(ParseFailure):
        ios.parse_fragment(text)


def test_a_line_of_the_greatest_length_is_read() -> None:
    head = " description "
    found = ios.parse(f"interface POS1/0\n{head}{'d' * (lines.MAX_LINE - len(head))}\n shutdown\n")
    assert found.interfaces["POS1/0"].shutdown


def test_lines_about_the_greatest_length_are_all_looked_at() -> None:
    short = "interface POS1/0\n description " + "d" * (lines.MAX_LINE - 40) + "\n"
    assert ios.parse(short * 3).interfaces
    with pytest.raises(ParseFailure) as caught:
        ios.parse(short * 3 + f"!{LONG}")
    assert caught.value.line == 7


def test_sections_within_sections_without_end() -> None:
    """Ever deeper: what is looked at whole is looked at once."""
    text = "hostname r\n" + "".join(f"{' ' * depth}policy-map P{depth}\n" for depth in range(1, 6000))
    assert len(ios.parse(text).policy_maps) == 5999


def test_one_object_entered_again_and_again() -> None:
    again = "interface POS1/0\n shutdown\npolicy-map P\n class A\n  set dscp 8\n" * 20_000
    found = ios.parse(again)
    assert (len(found.interfaces), len(found.policy_maps)) == (1, 1)
