"""What a capture adds is taken out of the lines; what is no text of lines is refused at the very line and bound."""

from __future__ import annotations

import pytest

from provisioning.errors import ParseFailure
from provisioning.pipeline.ios import lines

CAPTURED = {
    "CR CR LF": ("a\r\r\nb\r\r\n", "a\nb\n"),
    "CR LF": ("a\r\nb", "a\nb"),
    "CR alone": ("a\rb\r", "a\nb\n"),
    "a pager": ("a\n --More-- b", "a\nb"),
    "a pager that wipes itself out": ("a\n--More--\x08\x08  \x08\x08b", "a\nb"),
    "a terminal": ("\x1b[2Ka\x1b[0m\n\x1b=b", "a\nb"),
    "a message of the log": ("a\n%SYS-5-CONFIG_I: by noc\nb", "a\n\nb"),
    "a mark of byte order": ("\ufeffa\n", "a\n"),
    "a mark of byte order inside": ("a\ufeff\n", "a\ufeff\n"),
}


@pytest.mark.parametrize(("captured", "text"), CAPTURED.values(), ids=CAPTURED.keys())
def test_what_a_capture_adds_is_taken_out(captured: str, text: str) -> None:
    assert lines.clean(captured) == text
    assert lines.split_lines(captured) == text.split("\n")


@pytest.mark.parametrize(
    ("text", "line"), [("\x00abc", 1), ("\n\x00", 2), ("a\n\x00\nb\n\x00\n", 2), ("\x00\n\n", 1)]
)
def test_binary_data_is_refused_at_its_first_line(text: str, line: int) -> None:
    with pytest.raises(ParseFailure, match="binary") as caught:
        lines.clean(text)
    assert caught.value.line == line


def test_the_greatest_length_is_read_and_one_more_is_not(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(lines, "MAX_CHARACTERS", 8)
    assert lines.clean("12345678") == "12345678"
    with pytest.raises(ParseFailure, match="longer than 8 characters") as caught:
        lines.clean("123456789")
    assert caught.value.line == 0


def test_the_greatest_number_of_lines_is_read_and_one_more_is_not(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(lines, "MAX_LINES", 3)
    assert lines.clean("a\n\n\n") == "a\n\n\n"
    with pytest.raises(ParseFailure, match="more than 3 lines") as caught:
        lines.clean("a\n\n\n\n")
    assert caught.value.line == 4


@pytest.mark.parametrize("text", ["abcde", "abcde\nabcde\nabcde", "\nabcde\n", "a\nb\nc\nabcde\n"])
def test_lines_of_the_greatest_length(text: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(lines, "MAX_LINE", 5)
    assert lines.clean(text) == text


@pytest.mark.parametrize(
    ("text", "line"),
    [
        ("abcdef", 1),
        ("abcdef\nab", 1),
        ("abcdefgh\nab\n", 1),
        ("\nabcdef", 2),
        ("abcde\nabcdef\nab\n", 2),
        ("a\nb\nc\nabcdef\nd", 4),
    ],
)
def test_a_longer_line_is_refused_where_it_stands(
    text: str, line: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(lines, "MAX_LINE", 5)
    with pytest.raises(ParseFailure, match="longer than 5") as caught:
        lines.clean(text)
    assert caught.value.line == line


def test_lines_that_hold_a_mark() -> None:
    text = "^ and ^\n\nx\ny ^C \x03\n\x03\n^"
    assert lines.lines_holding(("^", "\x03"), text) == [0, 3, 4, 5]
    assert lines.lines_holding(("\x03",), text) == [3, 4]
    assert lines.lines_holding(("#",), text) == []
    assert lines.lines_holding(("^",), "^\n^\n\n^^\n^\n") == [0, 1, 3, 4]
