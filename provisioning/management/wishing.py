"""What the commands that ask, or ask what if, have in common: the wish, once or again and again."""

from __future__ import annotations

from argparse import ArgumentParser, ArgumentTypeError
from collections.abc import Mapping
from datetime import date
from typing import TYPE_CHECKING, Any

from provisioning.management.moments import moment

if TYPE_CHECKING:
    from provisioning.services.requests import SubmitRequest
    from provisioning.services.series import SubmitSeries

_NAMES = (
    "source_link", "destination_link", "rate", "start", "end", "bucket_bytes", "max_packet_bytes", "direction",
    "service_class", "min_packet_bytes",
)  # fmt: skip


def add_wish(parser: ArgumentParser) -> None:
    """Who asks, for what, and when again."""
    parser.add_argument("--as", dest="user", required=True, help="user name of who asks")
    parser.add_argument("--from", dest="source_link", required=True, help="access link it enters on")
    parser.add_argument("--to", dest="destination_link", help="access link it leaves on")
    parser.add_argument("--rate", required=True, help="at layer 3: 2M, 64 kbit/s, 2000000")
    parser.add_argument("--start", type=moment, help="2026-12-24T18:00Z; now when not given")
    parser.add_argument("--end", type=moment, help="until further notice when not given")
    parser.add_argument("--bucket", dest="bucket_bytes", type=int, default=6000, help="bytes, 6000")
    parser.add_argument(
        "--packet", dest="max_packet_bytes", type=int, default=1500, help="largest, bytes, 1500"
    )
    parser.add_argument(
        "--smallest-packet",
        dest="min_packet_bytes",
        type=int,
        help="bytes; as large as --packet when not given",
    )
    parser.add_argument("--source-prefix", dest="source_prefixes", action="append", required=True)
    parser.add_argument("--destination-prefix", dest="destination_prefixes", action="append", default=[])
    parser.add_argument("--direction", choices=["one-way", "both"], default="one-way")
    parser.add_argument("--class", dest="service_class", default="ip-premium")
    parser.add_argument(
        "--rrule", default="", help="again and again (RFC 5545): FREQ=WEEKLY;BYDAY=TU;COUNT=12"
    )
    parser.add_argument("--time-zone", default="UTC", help="by whose clocks: Europe/Athens")
    parser.add_argument(
        "--exdate", dest="left_out", type=_day, action="append", default=[], help="2026-12-29"
    )
    parser.add_argument("--those-that-fit", action="store_true", help="of a series: not all or nothing")


def wish_of(options: Mapping[str, Any], *, contact: str, reason: str = "") -> SubmitRequest:
    """Return what the service takes."""
    from provisioning.services.requests import SubmitRequest  # loads admission: once there is a wish

    return SubmitRequest(
        **{name: options[name] for name in _NAMES},
        source_prefixes=tuple(options["source_prefixes"]),
        destination_prefixes=tuple(options["destination_prefixes"]),
        contact=contact,
        reason=reason,
    )


def series_of(options: Mapping[str, Any], *, contact: str, reason: str = "") -> SubmitSeries:
    """Return what the service takes of a wish that comes again."""
    from provisioning.services.series import SubmitSeries  # loads half of the services: where it comes again

    return SubmitSeries(
        asked=wish_of(options, contact=contact, reason=reason),
        rrule=options["rrule"],
        time_zone=options["time_zone"],
        left_out=tuple(options["left_out"]),
        only_whole=not options["those_that_fit"],
    )


def _day(text: str) -> date:
    try:
        return date.fromisoformat(text)
    except ValueError:
        raise ArgumentTypeError(f"not a day: {text!r:.60}; write 2026-12-29") from None
