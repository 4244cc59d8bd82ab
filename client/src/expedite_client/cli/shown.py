"""Requests, series and their evidence in words."""

from __future__ import annotations

from collections.abc import Iterable

from expedite_client.cli.text import facts, instant, one_line, parts, rate, table, window
from expedite_client.values.requests import Evidence, ModificationDetail, RequestDetail, RequestSummary
from expedite_client.values.series import SeriesDetail, SeriesSummary, TriedSeries


def request(row: RequestDetail) -> str:
    """Return one request with what it waits for, and whether it fits."""
    state = row["state"]
    undecided = state in {"SUBMITTED", "HELD"}
    head = f"{row['reference']}  {state}  {row['source_link']} -> {row['destination_link'] or 'anywhere'}"
    consent = f"{row['consent']} by {row['receiving_nren']}" if row["receiving_nren"] else row["consent"]
    stated = facts(
        [
            ("waits for", row["waits_for"]),
            ("rate", f"{rate(row['rate_bps'])} at layer 3"),
            ("bucket", f"{row['bucket_bytes']} bytes, {_packets(row)}"),
            ("window", window(row["start"], row["end"])),
            ("class", row["service_class"]),
            ("from", ", ".join(row["source_prefixes"])),
            ("to", ", ".join(row["destination_prefixes"])),
            ("flow label", row["flow_label"]),
            ("asked by", f"{row['nren']}, {row['contact']}"),
            ("reason", row["reason"]),
            ("consent", consent),
            ("held until", instant(row["held_until"])),
            ("decided", instant(row["decided_at"])),
            ("decision", row["decision_reason"]),
            ("never provided", row["never_provided"]),
            ("other way", f"PIP-{row['twin']}" if row["twin"] else ""),
            ("series", f"SER-{row['series']}" if row["series"] else ""),
        ]
    )
    found = row["evidence"]
    judged = evidence(found, "now it" if undecided else "as decided it") if found else ""
    changes = ""
    if row["modifications"]:
        changes = table(
            ("CHANGE", "STATE", "CONSENT", "RATE", "WINDOW"),
            (
                (
                    each["reference"],
                    each["state"],
                    each["consent"],
                    rate(each["rate_bps"]),
                    window(each["start"], each["end"]),
                )
                for each in row["modifications"]
            ),
        )
    return parts(f"{one_line(head)}\n{stated}", judged, changes)


def _packets(row: RequestDetail) -> str:
    """From which to which size, as far as it was said: an older service knows the largest only."""
    largest, smallest = row["max_packet_bytes"], row.get("min_packet_bytes")
    return (
        f"packets of {largest} bytes at most"
        if smallest is None
        else f"packets of {smallest} to {largest} bytes"
    )


def evidence(found: Evidence, subject: str = "it") -> str:
    """Return whether it fits: the verdict, the links, why not, what would fit, and what speaks against it."""
    fits = found["verdict"] == "admitted"
    links = table(
        ("LINK", "DIRECTION", "POOL", "SHARE", "COMMITTED", "ASKED", "FITS"),
        (
            (
                each["link"],
                each["direction"],
                each["pool"],
                rate(each["share_bps"]),
                rate(each["committed_peak_bps"]),
                rate(each["asked_bps"]),
                "yes" if each["fits"] else "NO",
            )
            for each in found["evidence"]
        ),
        none="",
    )
    why = "\n".join(f"  {one_line(each['text'])}" for each in found.get("reasons") or [])
    offers = table(
        ("OFFER", "RATE", "WINDOW"),
        (
            (each.get("kind"), rate(each["rate_bps"]), window(each["start"], each["end"]))
            for each in found.get("counter_offers") or []
        ),
        none="",
    )
    warnings = "\n".join(f"  warning: {one_line(each)}" for each in found.get("warnings") or [])
    verdict = f"{subject} fits" if fits else f"{subject} does not fit"
    return parts(
        verdict[0].upper() + verdict[1:] + ("" if fits or not why else f":\n{why}"), links, offers, warnings
    )


def requests(rows: Iterable[RequestSummary]) -> str:
    """Return requests, a line each."""
    return table(
        ("REQUEST", "STAGE", "RATE", "FROM", "TO", "WINDOW", "WAITS FOR"),
        (
            (
                row["reference"],
                row["stage"],
                rate(row["rate_bps"]),
                row["source_link"],
                row["destination_link"] or "anywhere",
                window(row["start"], row["end"]),
                row["waits_for"],
            )
            for row in rows
        ),
        none="no requests",
    )


def modification(row: ModificationDetail) -> str:
    """Return what a request is to become."""
    head = f"{row['reference']}  {row['state']}  of PIP-{row['request']}"
    stated = facts(
        [
            ("rate", rate(row["rate_bps"])),
            ("window", window(row["start"], row["end"])),
            ("from", ", ".join(row["source_prefixes"])),
            ("to", ", ".join(row["destination_prefixes"])),
            ("consent", row["consent"]),
            ("reason", row["reason"]),
            ("decision", row["decision_reason"]),
        ]
    )
    return parts(f"{head}\n{stated}", evidence(row["evidence"]) if row["evidence"] else "")


def many_series(rows: Iterable[SeriesSummary]) -> str:
    """Return series, a line each."""
    return table(
        ("SERIES", "FROM", "TO", "OCCURRENCES", "RULE", "STATES"),
        (
            (
                row["reference"],
                row["nren"],
                row["receiving_nren"],
                row["occurrences"],
                row["rrule"],
                _counted(row),
            )
            for row in rows
        ),
        none="no series",
    )


def series(row: SeriesDetail) -> str:
    """Return a series with its occurrences."""
    head = f"{row['reference']}  {row['nren']} -> {row['receiving_nren'] or 'anywhere'}  {_counted(row)}"
    stated = facts(
        [
            ("rule", f"{row['rrule']} ({row['time_zone']})"),
            ("without", ", ".join(row["exdates"])),
            ("takes", row["take"]),
            ("rate that fits all", rate(row["rate_that_fits"])),
        ]
    )
    items = table(
        ("REQUEST", "STATE", "START", "END", "FITS"),
        (
            (
                f"PIP-{each['request']}",
                each["state"],
                each["start_local"],
                each["end_local"],
                {True: "yes", False: "NO", None: ""}[each["fits"]],
            )
            for each in row["items"]
        ),
    )
    return parts(f"{one_line(head)}\n{stated}", items)


def tried(found: TriedSeries) -> str:
    """Return whether each window would fit."""
    items = table(
        ("START", "END", "FITS", "WHY NOT"),
        (
            (
                each["start_local"],
                each["end_local"],
                "yes" if each["fits"] else "NO",
                "; ".join(reason["text"] for reason in each["reasons"]),
            )
            for each in found["items"]
        ),
    )
    more = f"All would fit at {rate(found['rate_that_fits'])}." if found["rate_that_fits"] else ""
    return parts("All fit" if found["fits"] else "Not all fit", items, more)


def _counted(row: SeriesSummary) -> str:
    return ", ".join(f"{count} {state}" for state, count in sorted(row["states"].items()))
