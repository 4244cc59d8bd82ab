"""`what-if`, `submit` and `series`: what is asked for, as it is typed."""

from __future__ import annotations

from typing import Annotated

import typer

from expedite_client.asking import Ask, Recurrence
from expedite_client.cli import shown
from expedite_client.cli.exits import Exit
from expedite_client.cli.given import EndOrNone, Rate, StartOrNone
from expedite_client.cli.verbs import Answer, Here, deed, verb
from expedite_client.errors import InvalidInput

_WHERE = "The name of the access link it {}: {}."
From = Annotated[
    str, typer.Option("--from", metavar="LINK", help=_WHERE.format("enters on", "JANET@uk6:POS1/0"))
]
To = Annotated[
    str | None,
    typer.Option("--to", metavar="LINK", help=_WHERE.format("leaves on", "GRNET@gr6:POS2/0")),
]
Sources = Annotated[
    list[str],
    typer.Option("--source", metavar="PREFIX", help="Your own prefix it comes from; again for more."),
]
Destinations = Annotated[
    list[str] | None,
    typer.Option("--destination", metavar="PREFIX", help="The receiver's prefix it goes to; again for more."),
]
Bucket = Annotated[
    int | None,
    typer.Option(
        "--bucket",
        min=1,
        metavar="BYTES",
        help="Depth of the token bucket; what the service advises if not given.",
    ),
]
Packet = Annotated[
    int, typer.Option("--max-packet", min=1, max=65535, metavar="BYTES", help="Largest packet.")
]
Smallest = Annotated[
    int | None,
    typer.Option(
        "--min-packet", min=20, max=65535, metavar="BYTES", help="Smallest packet; the largest if not given."
    ),
]
Both = Annotated[bool, typer.Option("--both", help="Ask for both directions: two requests.")]
Class = Annotated[str, typer.Option("--class", metavar="NAME", help="The service class.")]
Contact = Annotated[str, typer.Option("--contact", metavar="MAIL", help="Whom to write to.")]
For = Annotated[str, typer.Option("--reason", metavar="TEXT", help="What it is for.")]
Label = Annotated[int | None, typer.Option("--flow-label", min=1, max=0xFFFFF, help="An IPv6 flow label.")]
Rule = Annotated[
    str | None,
    typer.Option("--rrule", metavar="RULE", help="Again and again: FREQ=WEEKLY;BYDAY=TU;COUNT=12."),
]
Zone = Annotated[
    str | None, typer.Option("--time-zone", metavar="NAME", help="By whose clocks: Europe/Athens.")
]
Without = Annotated[
    list[str] | None, typer.Option("--without", metavar="DAY", help="A local day without it: 2026-12-29.")
]
ThoseThatFit = Annotated[
    bool, typer.Option("--those-that-fit", help="Take the occurrences that fit, not all or none.")
]

NOBODY = "nobody@example.org"
"""The API wants a contact also where nothing is asked for."""


def register(app: typer.Typer) -> None:
    """Add the commands."""

    @verb(app, "what-if")
    def what_if(
        here: Here,
        source_link: From,
        rate: Rate,
        sources: Sources,
        destination_link: To = None,
        destinations: Destinations = None,
        start: StartOrNone = None,
        end: EndOrNone = None,
        bucket: Bucket = None,
        max_packet: Packet = 1500,
        min_packet: Smallest = None,
        both: Both = False,
        service_class: Class = "ip-premium",
        contact: Contact = NOBODY,
        rrule: Rule = None,
        time_zone: Zone = None,
        without: Without = None,
        those_that_fit: ThoseThatFit = False,
    ) -> Answer:
        """Say whether it would fit at this moment; nothing is asked for. Exit 1 when it does not."""
        ask = Ask(
            source_link=source_link,
            destination_link=destination_link,
            rate_bps=rate,
            bucket_bytes=bucket or advised(here, rate, max_packet),
            max_packet_bytes=max_packet,
            min_packet_bytes=min_packet,
            source_prefixes=tuple(sources),
            destination_prefixes=tuple(destinations or ()),
            start=start,
            end=end,
            direction="both" if both else "one-way",
            service_class=service_class,
            contact=contact,
        )
        again = _recurrence(rrule, time_zone, without, those_that_fit)
        if again is not None:
            found = here.client.series.what_if(ask, again)
            return Answer(found, shown.tried(found), Exit.DONE if found["fits"] else Exit.NOT_SO)
        judged = here.client.requests.what_if(ask)
        return Answer(judged, shown.evidence(judged), fitting(judged["verdict"]))

    @deed(app, "submit")
    def submit(
        here: Here,
        source_link: From,
        rate: Rate,
        sources: Sources,
        contact: Contact,
        destination_link: To = None,
        destinations: Destinations = None,
        start: StartOrNone = None,
        end: EndOrNone = None,
        bucket: Bucket = None,
        max_packet: Packet = 1500,
        min_packet: Smallest = None,
        both: Both = False,
        service_class: Class = "ip-premium",
        reason: For = "",
        flow_label: Label = None,
        rrule: Rule = None,
        time_zone: Zone = None,
        without: Without = None,
        those_that_fit: ThoseThatFit = False,
    ) -> Answer:
        """Ask for it. What does not fit now is asked for all the same: its evidence says so."""
        ask = Ask(
            source_link=source_link,
            destination_link=destination_link,
            rate_bps=rate,
            bucket_bytes=bucket or advised(here, rate, max_packet),
            max_packet_bytes=max_packet,
            min_packet_bytes=min_packet,
            source_prefixes=tuple(sources),
            destination_prefixes=tuple(destinations or ()),
            start=start,
            end=end,
            direction="both" if both else "one-way",
            service_class=service_class,
            contact=contact,
            reason=reason,
            flow_label=flow_label,
        )
        again = _recurrence(rrule, time_zone, without, those_that_fit)
        if again is not None:
            series = here.client.series.submit(ask, again, key=here.key)
            return Answer(series, shown.series(series))
        made = here.client.requests.submit(ask, key=here.key)
        return Answer(made, shown.request(made))


def advised(here: Here, rate: int, max_packet: int) -> int:
    """Return the depth of a bucket that the service advises for a rate, bytes."""
    found = here.client.advice.bursts(str(rate), max_packet_bytes=max_packet)
    return found["policer"]["bucket_bytes"]


def fitting(verdict: str) -> Exit:
    """Return the exit status of a verdict."""
    return Exit.DONE if verdict == "admitted" else Exit.NOT_SO


def _recurrence(
    rrule: str | None, zone: str | None, without: list[str] | None, those_that_fit: bool
) -> Recurrence | None:
    if rrule is None:
        if zone or without or those_that_fit:
            raise InvalidInput("is needed with --time-zone, --without and --those-that-fit", field="--rrule")
        return None
    if zone is None:
        raise InvalidInput("is needed with --rrule: by whose clocks", field="--time-zone")
    return Recurrence(
        rrule=rrule,
        time_zone=zone,
        exdates=tuple(without or ()),
        take="those-that-fit" if those_that_fit else "all",
    )
