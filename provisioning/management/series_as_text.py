"""The occurrences of a series, as people and as scripts read them."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from provisioning.management.printable import printable
from provisioning.pipeline.units import instant_text, rate_text
from provisioning.services.decisions import Occurrence
from provisioning.services.series import Verdict, clock_text, local_time


def occurrence_lines(verdict: Verdict, zone: str) -> Iterator[str]:
    """Return a line for each occurrence that was judged, its begin by the clocks of ``zone``, and the rate that fits all."""
    for each in verdict.occurrences:
        first = each.requests[0]
        name = f"{first.reference} " if first.pk else ""
        said = "; ".join(reason.text for reason in verdict.reasons_of(each)) or "fits"
        yield printable(f"{name}{clock_text(first.start, zone)} ({instant_text(first.start)}): {said}")
    if verdict.rate_that_fits:
        yield f"would fit every one: {rate_text(verdict.rate_that_fits)}"


def occurrences_as_json(verdict: Verdict, zone: str) -> list[dict[str, Any]]:
    """Return what was judged of each: its window as instants and by the clocks of ``zone``, with the offset."""
    return [{**_window(each, zone), **_judged(verdict, each)} for each in verdict.occurrences]


def _window(each: Occurrence, zone: str) -> dict[str, Any]:
    first = each.requests[0]
    moments = {"start": first.start, "end": first.end}
    local = {f"{name}_local": at and local_time(at, zone) for name, at in moments.items()}
    shown = {name: at.isoformat() if at else None for name, at in (moments | local).items()}
    return {"request": first.reference, **shown} if first.pk else shown


def _judged(verdict: Verdict, each: Occurrence) -> dict[str, Any]:
    return {"fits": each.fits, "reasons": [reason.text for reason in verdict.reasons_of(each)]}
