"""iCalendar as text: folded and escaped so that whoever reads it by RFC 5545 reads what was meant."""

from __future__ import annotations

import re
from datetime import UTC, datetime, timedelta, timezone

from hypothesis import given
from hypothesis import strategies as st

from provisioning.web.ics import Event, calendar, escaped, folded, utc

TEXTS = st.text(st.characters(exclude_categories=["Cs"]), max_size=300)
ONE_LINE = st.text(st.characters(exclude_categories=["Cs", "Cc"]), max_size=400)


def unfolded(text: str) -> list[str]:
    """What section 3.1 says of who reads: a line end and one blank after it are nothing."""
    return re.sub(r"\r\n[ \t]", "", text).removesuffix("\r\n").split("\r\n")


def read(value: str) -> str:
    """What section 3.3.11 says of a text."""
    return re.sub(
        r"\\(.)", lambda found: {"n": "\n", "N": "\n"}.get(found[1], found[1]), value, flags=re.DOTALL
    )


@given(ONE_LINE)
def test_a_folded_line_is_short_whole_and_the_same_again(line: str) -> None:
    text = folded(line)
    octets = text.encode()
    assert octets.endswith(b"\r\n")
    for part in octets.removesuffix(b"\r\n").split(b"\r\n"):
        assert len(part) <= 75
        part.decode()  # no character is cut in two
    assert unfolded(text) == [line]


@given(TEXTS)
def test_an_escaped_text_is_read_as_it_was_meant(text: str) -> None:
    value = escaped(text)
    assert not re.search(r"[\x00-\x08\x0a-\x1f\x7f]", value)
    assert not re.search(r"(?<!\\)(?:\\\\)*[;,]", value), "each is escaped"
    plain = re.sub(r"[\x00-\x08\x0b-\x1f\x7f]", "", text.replace("\r\n", "\n").replace("\r", "\n"))
    assert read(value) == plain


def event(**more: object) -> Event:
    at = datetime(2026, 12, 1, 9, 30, tzinfo=UTC)
    told: dict[str, object] = {
        "uid": "u",
        "sequence": 3,
        "changed_at": at,
        "start": at,
        "end": at + timedelta(hours=2),
        "summary": "PIP-1: JANET to GRNET",
        "description": "one, two; three\nfour",
        "url": "https://noc.example/requests/1/",
        "status": "CONFIRMED",
    }
    return Event(**{**told, **more})  # type: ignore[arg-type]


def test_a_calendar_has_what_the_rfc_requires() -> None:
    text = "".join(calendar("6NET", [event(), event(uid="v", status="CANCELLED")], description="a,b"))
    lines = unfolded(text)
    assert lines[:3] == ["BEGIN:VCALENDAR", "VERSION:2.0", "PRODID:-//Expedite//Expedite//EN"]
    assert lines[-1] == "END:VCALENDAR" and "DESCRIPTION:a\\,b" in lines
    first = lines[lines.index("BEGIN:VEVENT") : lines.index("END:VEVENT")]
    assert {line.partition(":")[0] for line in first} >= {"UID", "DTSTAMP", "DTSTART", "DTEND", "SEQUENCE"}
    assert "DTSTART:20261201T093000Z" in first and "DTEND:20261201T113000Z" in first
    assert "DESCRIPTION:one\\, two\\; three\\nfour" in first
    assert lines.count("STATUS:CANCELLED") == lines.count("STATUS:CONFIRMED") == 1


def test_nobody_ends_a_line_or_begins_an_event_with_what_they_write() -> None:
    evil = "x\r\nEND:VEVENT\r\nBEGIN:VEVENT\r\nSUMMARY:y"
    lines = unfolded("".join(calendar(evil, [event(summary=evil, description=evil, uid=evil, url=evil)])))
    assert lines.count("BEGIN:VEVENT") == lines.count("END:VEVENT") == 1


def test_an_instant_is_utc_with_a_year_of_four_digits() -> None:
    assert utc(datetime(2026, 1, 1, 1, 0, tzinfo=timezone(timedelta(hours=2)))) == "20251231T230000Z"
    assert utc(datetime(33, 1, 1, tzinfo=UTC)) == "00330101T000000Z"
