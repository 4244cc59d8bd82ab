"""What somebody hands in as evidence of paths: which of the forms it is, and when the router printed it."""

from __future__ import annotations

import re
from datetime import UTC, datetime

from provisioning.errors import InvalidInput
from provisioning.pipeline.topology.isis import LARGEST_TEXT, Seen, read_isis_database
from provisioning.pipeline.topology.tables import Table, is_table, read_table
from provisioning.pipeline.topology.traces import Trace, is_trace, read_trace

Evidence = Seen | Table | Trace

_CLOCK = re.compile(
    r"^Time source is (?:NTP|hardware calendar|user configuration), "
    r"(?P<time>\d{1,2}:\d\d:\d\d)(?:\.\d+)? (?:UTC|GMT) \w{3} (?P<day>\w{3} \d{1,2} \d{4})\s*$",
    re.M,
)
_MOST_UNREADABLE = 10


def read_evidence(text: str, router: str = "") -> Evidence:
    """What is in a text: an IS-IS database, the table of one router (`router` where no prompt names it), or a traceroute.

    Raises InvalidInput for a text that is too long, or none (binary), and for whatever the form's own reader refuses.
    """
    if len(text) > LARGEST_TEXT:
        raise InvalidInput(f"it is longer than {LARGEST_TEXT} characters", field="file")
    if "\x00" in text or text.count("�") > _MOST_UNREADABLE:
        raise InvalidInput("it is no text that a router printed", field="file")
    if is_trace(text):
        return read_trace(text)
    if is_table(text):
        return read_table(text, router)
    return read_isis_database(text)


def printed_at(text: str) -> datetime | None:
    """When the router printed it, by its own clock: the earliest line of `terminal exec prompt timestamp`. None without one, in a
    zone other than UTC, and by a clock that the router itself does not trust (`*` or `.` before the time).
    """
    found = []
    for line in _CLOCK.finditer(text[:LARGEST_TEXT]):
        try:
            said = datetime.strptime(f"{line['day']} {line['time']}", "%b %d %Y %H:%M:%S")  # noqa: DTZ007
        except ValueError:
            continue
        found.append(said.replace(tzinfo=UTC))
    return min(found, default=None)
