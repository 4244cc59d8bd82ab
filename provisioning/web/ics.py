"""iCalendar as text (RFC 5545): content lines, folded and escaped. What is in a calendar its caller says."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Final, Literal

Status = Literal["CONFIRMED", "TENTATIVE", "CANCELLED"]
LONGEST: Final = 75
"""Octets of a line, without its end (section 3.1)."""
_CONTROL: Final = re.compile(r"[\x00-\x08\x0b-\x1f\x7f]")


@dataclass(frozen=True)
class Event:
    """One event. ``changed_at`` is when it became what it is; ``sequence`` only grows over its revisions (section 3.8.7.4)."""

    uid: str
    sequence: int
    changed_at: datetime
    start: datetime
    end: datetime
    summary: str
    description: str
    url: str
    status: Status


def calendar(name: str, events: Iterable[Event], *, description: str = "") -> Iterator[str]:
    """Return the lines of a calendar, each with its end."""
    yield from _lines(
        "BEGIN:VCALENDAR",
        "VERSION:2.0",
        "PRODID:-//Expedite//Expedite//EN",
        "CALSCALE:GREGORIAN",
        "METHOD:PUBLISH",
        f"NAME:{escaped(name)}",  # RFC 7986 section 5.1; the next is what programs understood before it
        f"X-WR-CALNAME:{escaped(name)}",
        *([f"DESCRIPTION:{escaped(description)}"] if description else []),
        "REFRESH-INTERVAL;VALUE=DURATION:PT1H",
    )
    for event in events:
        yield from _lines(
            "BEGIN:VEVENT",
            f"UID:{escaped(event.uid)}",
            f"SEQUENCE:{event.sequence}",
            f"DTSTAMP:{utc(event.changed_at)}",
            f"LAST-MODIFIED:{utc(event.changed_at)}",
            f"DTSTART:{utc(event.start)}",
            f"DTEND:{utc(event.end)}",
            f"SUMMARY:{escaped(event.summary)}",
            f"DESCRIPTION:{escaped(event.description)}",
            f"URL:{_CONTROL.sub('', event.url)}",
            f"STATUS:{event.status}",
            "TRANSP:TRANSPARENT",  # a reservation makes nobody busy
            "END:VEVENT",
        )
    yield from _lines("END:VCALENDAR")


def escaped(text: str) -> str:
    """Return a text as a value of type TEXT (section 3.3.11); control characters, which none may have, are left out."""
    plain = text.replace("\r\n", "\n").replace("\r", "\n")
    plain = _CONTROL.sub("", plain).replace("\\", "\\\\")
    return plain.replace(";", "\\;").replace(",", "\\,").replace("\n", "\\n")


def utc(moment: datetime) -> str:
    """Return an instant as a DATE-TIME of form 2 (section 3.3.5), with its century whole."""
    at = moment.astimezone(UTC)
    return f"{at.year:04}{at:%m%dT%H%M%S}Z"


def folded(line: str) -> str:
    """Return a content line with its end, folded so that none is longer than 75 octets and no character is cut in two."""
    if len(line.encode()) <= LONGEST:
        return f"{line}\r\n"
    parts: list[str] = []
    part, size = "", 0
    for character in line:
        length = len(character.encode())
        if size + length > LONGEST:
            parts.append(part)
            part, size = "", 1  # a line that goes on begins with a blank, which counts
        part += character
        size += length
    parts.append(part)
    return "\r\n ".join(parts) + "\r\n"


def _lines(*lines: str) -> Iterator[str]:
    return map(folded, lines)
