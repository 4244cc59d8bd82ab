"""The rows that came of a decision, against what was recorded: the request, its evidence, what it was granted and is charged."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from provisioning.errors import InvalidInput
from provisioning.models import DecisionRecord, LedgerEntry, PremiumRequest, Reservation
from provisioning.pipeline.states import RequestState
from provisioning.selectors.requests import sls_of
from provisioning.services.records.beside import Beside
from provisioning.services.records.values import Finding

_UNDECIDED = (RequestState.SUBMITTED, RequestState.HELD)


def against_rows(record: DecisionRecord, said: Mapping[str, Any], beside: Beside) -> Iterator[Finding]:
    """What does not agree. A record that a later decision followed answers for itself alone."""
    rows = [row for row in (record.request, record.twin) if row is not None]
    for row in rows:
        yield from _bound(row, record, beside)
    if beside.was_followed(record):
        return
    for place, row in enumerate(rows):
        if not _stands(row, record.deed):
            continue  # it asks for something else by now, and waits for another decision
        changed = beside.changed(row.pk)
        if changed is not None:
            yield Finding(
                "changed", row.reference, f"it was changed since: {changed.reference} is {changed.state}"
            )
            continue
        yield from _asked(row, said, place)
        if record.deed != "held":
            yield from _evidence(row, record, said, place, beside)
        if record.deed == "admitted":
            yield from _granted(row, record, said["verdict"][place], beside)
        elif record.deed == "held":
            yield from _charges(row, record, said["verdict"][place], beside.held(row.pk))


def _stands(row: PremiumRequest, deed: str) -> bool:
    """Whether the request is still as that decision left it. One that was admitted is, whatever became of it since."""
    if deed == "admitted":
        return True
    return {"held": RequestState.HELD, "refused": RequestState.REFUSED}.get(deed) == row.state


def _asked(row: PremiumRequest, said: Mapping[str, Any], place: int) -> Iterator[Finding]:
    if said["basis"] is None:
        return
    recorded = said["basis"]["asked"][place]
    try:
        now = sls_of(row)
    except InvalidInput as error:
        yield Finding("fault", row.reference, f"it asks what nobody can ask: {error}")
        return
    window = now.window
    found = {
        "source_link": now.source_link,
        "destination_link": now.destination_link,
        "service_class": now.service_class,
        "rate_bps": now.rate.bps,
        "start": window.start.isoformat(),
        "end": None if window.end is None else window.end.isoformat(),
        "bucket_bytes": now.bucket_bytes,
        "max_packet_bytes": now.max_packet_bytes,
        "source_prefixes": [str(each) for each in now.source_prefixes],
        "destination_prefixes": [str(each) for each in now.destination_prefixes],
        "flow_label": now.flow_label,
        "min_packet_bytes": now.min_packet_bytes,
    }
    for name, value in found.items():
        # A withdrawal of something open-ended gives it an end. A smallest packet that nobody named is not recorded.
        if value != recorded.get(name) and not (
            name == "end" and row.state not in (*_UNDECIDED, RequestState.ADMITTED)
        ):
            yield Finding(
                "fault", row.reference, f"{name} is {value}, and {recorded.get(name)} was decided on"
            )


def _evidence(
    row: PremiumRequest, record: DecisionRecord, said: Mapping[str, Any], place: int, beside: Beside
) -> Iterator[Finding]:
    """What stands with the request, and what the audit trail says was decided."""
    verdicts = said["verdict"]
    recorded = verdicts[place] if place < len(verdicts) else verdicts[0]
    shown = row.evidence if isinstance(row.evidence, dict) else {}
    own = {name: value for name, value in shown.items() if name not in ("topology", "record", "told")}
    if own != recorded or shown.get("record") != record.digest or shown.get("topology") != record.version:
        yield Finding(
            "fault", row.reference, "the evidence that stands with it is not the one that was recorded"
        )
    if not beside.events(row.pk, record.deed):
        yield Finding("fault", row.reference, f"no event of the audit trail says that it was {record.deed}")


def _bound(row: PremiumRequest, record: DecisionRecord, beside: Beside) -> Iterator[Finding]:
    """The audit trail names the record of each decision by its digest: of one that a later one followed, too. Events of before
    that was so name none.
    """
    digests = set()
    for event in beside.events(row.pk, record.deed):
        said = event if isinstance(event, dict) else {}
        shown = said.get("evidence")
        digests |= {said.get("record"), shown.get("record") if isinstance(shown, dict) else None}
    digests.discard(None)
    if digests and record.digest not in digests:
        yield Finding("fault", row.reference, "the audit trail binds another record of its decision")


def _granted(
    row: PremiumRequest, record: DecisionRecord, verdict: Mapping[str, Any], beside: Beside
) -> Iterator[Finding]:
    held = beside.reservation(row.pk)
    if held is None:
        yield Finding("fault", row.reference, "it was admitted and has no reservation")
        return
    rates = {charge["rate_bps"] for charge in verdict["charges"]}
    if rates and held.granted_bps not in rates:
        yield Finding(
            "fault",
            row.reference,
            f"its reservation is of {held.granted_bps} bit/s, {max(rates)} were admitted",
        )
    yield from _charges(row, record, verdict, beside.granted(row.pk), held)


def _charges(
    row: PremiumRequest,
    record: DecisionRecord,
    verdict: Mapping[str, Any],
    rows: Iterable[LedgerEntry],
    held: Reservation | None = None,
) -> Iterator[Finding]:
    """Charges against those that were recorded: rates and windows for ever, links until the network moved the path."""
    recorded = {
        (each["link"], each["direction"], each["pool"]): each["rate_bps"] for each in verdict["charges"]
    }
    released = held is not None and held.released_at is not None
    found = {
        (each.link, each.direction, each.pool): each for each in rows if released or each.released_at is None
    }
    moved = held is not None and (held.topology or 0) != record.version
    rates = set(recorded.values())
    for key, charge in found.items():
        name = f"{row.reference} on {key[0]} {key[1]}"
        if charge.rate_bps != recorded.get(key, charge.rate_bps if charge.rate_bps in rates else None):
            yield Finding(
                "fault",
                name,
                f"{charge.rate_bps} bit/s are charged, {recorded.get(key, max(rates))} were admitted",
            )
        if (charge.start, charge.end) != (row.start, row.end) and not released:
            yield Finding("fault", name, "it is charged for another window than it was admitted for")
        if key not in recorded and not moved:
            yield Finding("fault", name, "it is charged there, and nothing was admitted there")
    missing = recorded.keys() - found.keys()
    if not missing or moved:
        return
    if released:
        yield Finding(
            "changed",
            row.reference,
            "its charges were released; what is older than KEEP_CHARGES_DAYS is pruned",
        )
        return
    for key in sorted(missing):
        yield Finding(
            "fault", row.reference, f"{key[0]} {key[1]} is not charged, {recorded[key]} bit/s were admitted"
        )
