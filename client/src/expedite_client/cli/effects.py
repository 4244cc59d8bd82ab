"""What a change of the network does to requests, in words."""

from __future__ import annotations

from collections.abc import Sequence

from expedite_client.cli.text import facts, instant, one_line, parts, rate, table, window
from expedite_client.values.links import (
    AllFailures,
    Compared,
    EffectOfCapacity,
    Failure,
    LoadName,
    Renewal,
    TooMuch,
    Work,
)


def renewal(found: Renewal) -> str:
    """Return what became, or would become, of a link that was declared something."""
    moved = table(
        ("MOVES", "LEAVES", "TAKES"),
        ((each["request"], _loads(each["before"]), _loads(each["after"])) for each in found["moved"]),
        none="",
    )
    said = facts(
        [
            ("topology", f"version {found['version']}"),
            ("moved", found["moved_in_all"]),
            ("without path", _some(found["without_path"], found["without_path_in_all"])),
            ("too much", f"{found['too_much_in_all']}, {found['too_much_by_this_in_all']} of them by this"),
        ]
    )
    return parts(said, moved, too_much(found["too_much"]))


def work(found: Work) -> str:
    """Return what planned work would do."""
    moves = table(
        ("MOVES", "WINDOW", "LEAVES", "TAKES"),
        (
            (each["request"], window(each["start"], each["to"]), _loads(each["left"]), _loads(each["taken"]))
            for each in found["moves"]
        ),
        none="",
    )
    said = facts(
        [
            ("window", window(found["start"], found["to"])),
            ("affected", _some(found["affected"], found["affected_in_all"])),
            ("without path", _some(found["without_path"], found["without_path_in_all"])),
            ("too much", str(found["too_much_in_all"])),
        ]
    )
    return parts(said, moves, too_much(found["too_much"]))


def capacity(found: EffectOfCapacity) -> str:
    """Return who does not fit any more by a change of capacity, and who fits again."""
    return parts(
        facts([("breaks", str(found["breaks_in_all"])), ("mends", str(found["mends_in_all"]))]),
        too_much(found["breaks"]),
        too_much(found["mends"], head="FITS AGAIN ON"),
    )


def too_much(rows: Sequence[TooMuch], *, head: str = "TOO MUCH ON") -> str:
    """Return where more is granted than a share, and who is on it; empty where nowhere."""
    return table(
        (head, "POOL", "GRANTED", "SHARE", "TOO MUCH BY", "WINDOW", "REQUESTS"),
        (
            (
                f"{row['link']} {row['direction']}",
                row["pool"],
                rate(row["granted_bps"]),
                rate(row["share_bps"]),
                rate(row["shortfall_bps"]),
                window(row["start"], row["to"]),
                ", ".join(row["requests"]),
            )
            for row in rows
        ),
        none="",
    )


def failure(found: Failure) -> str:
    """Return what one failure does."""
    overloads = table(
        ("OVERLOADED", "SHARE", "LOAD", "TOO MUCH BY", "WINDOW", "REQUESTS"),
        (
            (
                f"{each['link']} {each['direction']}",
                rate(each["share_bps"]),
                rate(each["load_bps"]),
                rate(each["excess_bps"]),
                window(each["start"], each["to"]),
                ", ".join(each["requests"]),
            )
            for each in found["overloads"]
        ),
        none="",
    )
    said = facts(
        [
            ("rerouted", ", ".join(found["rerouted"])),
            ("end there", ", ".join(found["ended"])),
            ("without path", ", ".join(each["request"] for each in found["cut_off"])),
            ("unprotected", ", ".join(found["unprotected"])),
        ]
    )
    head = one_line(f"{found['failure']['kind']} {found['failure']['name']}")
    return parts(f"{head}\n{said}" if said else f"{head}\n  harms nobody", overloads)


def failures(found: AllFailures) -> str:
    """Return all single failures, a line each."""
    rows = table(
        ("FAILS", "REROUTED", "WITHOUT PATH", "UNPROTECTED", "OVERLOADED", "BY UP TO"),
        (
            (
                f"{each['kind']} {each['name']}",
                str(each["rerouted"]),
                str(each["cut_off"]),
                str(each["unprotected"]),
                str(each["overloaded"]),
                rate(each["excess_bps"]),
            )
            for each in found["failures"]
        ),
        none="no failure reroutes or cuts off anybody",
    )
    return parts(rows, f"not of today: {one_line(found['stale'])}" if found["stale"] else "")


def compared(found: Compared) -> str:
    """Return what came of a comparison of paths."""
    drifts = table(
        ("REQUEST", "GOES OTHERWISE"), ((each["request"], each["text"]) for each in found["drifts"]), none=""
    )
    said = facts(
        [
            ("by", found["by"]),
            ("at", instant(found["at"], none="nobody knows")),
            ("compared", str(found["compared"])),
            ("differ", str(found["differ"])),
            ("links", "; ".join(found["links"])),
            ("settled", ", ".join(found["settled"])),
            ("ended", ", ".join(found["ended"])),
            ("too old for", ", ".join(found["older"])),
        ]
    )
    return parts(said, drifts)


def _loads(loads: Sequence[LoadName]) -> str:
    return ", ".join(f"{each['link']} {each['direction']}" for each in loads)


def _some(listed: Sequence[str], in_all: int) -> str:
    more = f" and {in_all - len(listed)} more" if in_all > len(listed) else ""
    return f"{', '.join(listed)}{more}" if listed else "none"
