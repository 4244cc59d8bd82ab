"""How values are spelled on the pages: rates, sizes, times. Plain functions; the template filters call them."""

from __future__ import annotations

import re
from datetime import datetime, timedelta
from typing import Any

from django.utils import timezone

from provisioning.pipeline.admission import Reason
from provisioning.pipeline.units import rate_text

_SECONDS = re.compile(r"(\d{4}-\d\d-\d\d \d\d:\d\d):\d\d UTC")


def rate(bps: Any) -> str:
    """Return a rate of ``bps`` bit/s in words, exact; a dash for none."""
    return "-" if bps is None or bps == "" else rate_text(int(bps))


def size(count: Any) -> str:
    """Return a number of bytes, spelled out."""
    return "-" if count is None else f"{int(count):,} bytes"


def ago(moment: datetime, now: datetime) -> str:
    """Return how far ``moment`` lies from ``now`` in words, in the past ("3 h ago") or ahead ("in 2 days")."""
    distance = moment - now
    seconds = int(abs(distance).total_seconds())
    if seconds < 45:
        return "just now" if distance <= timedelta(0) else "in moments"
    for factor, one, many in ((86400, "day", "days"), (3600, "h", "h"), (60, "min", "min")):
        if seconds >= factor or factor == 60:
            count = max(1, round(seconds / factor))
            text = f"{count} {one if count == 1 else many}"
            break
    return f"{text} ago" if distance < timedelta(0) else f"in {text}"


def absolute(moment: datetime | None) -> str:
    """Return a moment as ``2026-11-21 09:30 UTC``."""
    if moment is None:
        return "-"
    return timezone.localtime(moment, timezone.get_fixed_timezone(0)).strftime("%Y-%m-%d %H:%M UTC")


def window(start: datetime, end: datetime | None) -> str:
    """Return a half-open window in words; an open one has no end."""
    return f"{absolute(start)} until " + (absolute(end) if end else "further notice")


def direction(value: str) -> str:
    """Return the direction of a link as the backbone sees it."""
    return {"in": "into the backbone", "out": "out of the backbone", "a-z": "a to z", "z-a": "z to a"}.get(
        value, value
    )


def sentence(text: str) -> str:
    """Return what a service says of a field as a sentence: a capital, a full stop, instants to the minute.

    A first word that is a name or a value (``uk6``, ``2001:db8::/32``) is left as it is.
    """
    said = _SECONDS.sub(r"\1 UTC", text.strip())
    first = said.split(" ", 1)[0]
    if first.isalpha() and first.islower():
        said = said[:1].upper() + said[1:]
    return said if not said or said[-1] in ".!?" else f"{said}."


def uncapped(text: str) -> str:
    """Return a sentence as it goes on after a colon; a name or an abbreviation keeps its capitals."""
    first = text.split(" ", 1)[0]
    return text[:1].lower() + text[1:] if first.istitle() and first.isalpha() else text


def reason(found: Reason) -> str:
    """Return one reason to refuse as a sentence, with the numbers that it has (`pipeline.admission.seen_reason` leaves out
    what is not the reader's to see); reasons that are not about capacity keep their own words.
    """
    if found.interval_start is None:
        return found.text
    until = absolute(found.interval_end) if found.interval_end else "further notice"
    start = absolute(found.interval_start)
    if found.code in ("unprotected", "policer"):
        return sentence(found.text)
    if found.code != "share-exceeded":
        return found.text
    way = direction(found.direction.value) if found.direction else ""
    asked = f"{found.link} {way}, {start} until {until}: {rate(found.asked_bps)} asked"
    if found.shortfall_bps is None:
        return f"{asked}, which does not fit beside what others hold; the share is {rate(found.share_bps)}."
    return (
        f"{asked}, {rate(found.committed_bps)} held by others, the share is {rate(found.share_bps)}. "
        f"{rate(found.shortfall_bps)} too much."
    )


_BROWSERS = (
    ("Edg/", "Edge"),
    ("OPR/", "Opera"),
    ("Firefox/", "Firefox"),
    ("Chrome/", "Chrome"),
    ("Safari/", "Safari"),
)
_SYSTEMS = (
    ("Android", "Android"), ("iPhone", "iPhone"), ("iPad", "iPad"), ("Windows", "Windows"), ("Mac OS X", "macOS"),
    ("CrOS", "ChromeOS"), ("Linux", "Linux"),
)  # fmt: skip


def browser_name(said: str) -> str:
    """Return "Firefox on Linux" for what a browser calls itself; what is none of the usual in its own words, forty characters.

    For people to tell their sessions apart by: anybody can call themselves anything.
    """
    name = next((name for word, name in _BROWSERS if word in said), "")
    system = next((name for word, name in _SYSTEMS if word in said), "")
    if name and system:
        return f"{name} on {system}"
    return said[:40] or "it did not say"


_FIELDS = {
    "ios": "IOS release",
    "pvc": "PVC",
    "bw_bps": "BW",
    "line_rate_bps": "line rate",
    "usable_bps": "usable",
    "dscp_map": "DSCPs of the neighbour",
    "full_name": "name",
    "nrens": "NRENs",
    "case": "who marks",
}


def plain_field(name: str) -> str:
    """Return the name of a field as people say it."""
    return _FIELDS.get(name, name.replace("_", " "))
