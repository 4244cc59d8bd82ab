"""What an NREN does with its requests."""

from __future__ import annotations

from itertools import islice
from typing import Annotated, Any

import typer

from expedite_client.asking import UNSAID, Terms
from expedite_client.cli import shown
from expedite_client.cli.asking import fitting
from expedite_client.cli.exits import Exit
from expedite_client.cli.given import (
    FURTHER_NOTICE,
    Decline,
    EndOrNone,
    Moment,
    RateOrNone,
    RequestId,
    StartOrNone,
    UntilNotice,
    Why,
    WhyOrNone,
)
from expedite_client.cli.text import facts, instant, parts, rate, table
from expedite_client.cli.verbs import Answer, Here, deed, verb
from expedite_client.errors import InvalidInput
from expedite_client.values.requests import RequestDetail

_States = Annotated[
    list[str] | None, typer.Option("--state", metavar="STATE", help="ACTIVE; again for more.")
]
_Name = Annotated[str | None, typer.Option(metavar="NAME")]


def register(app: typer.Typer) -> None:
    """Add the commands."""

    @verb(app, "show")
    def show(here: Here, request: RequestId) -> Answer:
        """Show a request: its state, what it waits for, and whether it fits."""
        return told(here.client.requests.show(request))

    @verb(app, "list")
    def list_(
        here: Here,
        state: _States = None,
        nren: _Name = None,
        receiving_nren: _Name = None,
        link: Annotated[
            str | None, typer.Option("--link", metavar="LINK", help="It enters or leaves there.")
        ] = None,
        address: Annotated[
            str | None,
            typer.Option("--address", metavar="ADDRESS", help="Its sources or destinations hold it."),
        ] = None,
        active_at: Moment = None,
        start_after: Moment = None,
        start_before: Moment = None,
        series: Annotated[int | None, typer.Option(metavar="ID", min=1)] = None,
        order: Annotated[
            str | None,
            typer.Option(metavar="NAME", help="id, start, end, rate_bps, submitted_at; -id: downwards."),
        ] = None,
        limit: Annotated[int, typer.Option(min=1, metavar="N", help="So many at most.")] = 1000,
    ) -> Answer:
        """List requests, the newest first."""
        instants = {"active_at": active_at, "start_after": start_after, "start_before": start_before}
        filters: dict[str, Any] = {
            "state": state,
            "nren": nren,
            "receiving_nren": receiving_nren,
            "link": link,
            "address": address,
            "series": series,
            "ordering": order,
            **{name: when.isoformat() if when else None for name, when in instants.items()},
        }
        rows = list(islice(here.client.requests.list(**filters), limit))
        return Answer(rows, shown.requests(rows))

    @deed(app, "consent")
    def consent(here: Here, request: RequestId, decline: Decline = False, reason: WhyOrNone = "") -> Answer:
        """Agree to receive a request, or decline it; the receiver's."""
        return told(here.client.requests.consent(request, agree=not decline, reason=reason, key=here.key))

    @deed(app, "take-offer")
    def take_offer(
        here: Here,
        request: RequestId,
        kind: Annotated[
            str, typer.Argument(metavar="KIND", help="lower-rate, later-start or shorter-window.")
        ],
    ) -> Answer:
        """Have a request ask for a counter-offer from now on."""
        if here.key is not None:
            # Said the same each time: what it offers is otherwise once it was taken.
            return told(here.client.requests.take_offer(request, kind, key=here.key))
        found = here.client.requests.show(request)["evidence"]
        for offer in (found.get("counter_offers") if found else None) or []:
            if offer.get("kind") == kind:
                taken = here.client.requests.take_offer(
                    request,
                    kind,
                    rate_bps=offer["rate_bps"],
                    start=offer["start"],
                    end=offer["end"],
                )
                return told(taken)
        return told(here.client.requests.take_offer(request, kind))

    @deed(app, "modify")
    def modify(
        here: Here,
        request: RequestId,
        reason: Why,
        rate: RateOrNone = None,
        start: StartOrNone = None,
        end: UntilNotice = None,
        source: Annotated[
            list[str] | None, typer.Option(metavar="PREFIX", help="Instead of all of now.")
        ] = None,
        destination: Annotated[list[str] | None, typer.Option(metavar="PREFIX", help="Likewise.")] = None,
        what_if: Annotated[
            bool, typer.Option("--what-if", help="Say whether it would fit; change nothing.")
        ] = False,
    ) -> Answer:
        """Change rate, window or prefixes; of a granted request it is a proposal."""
        terms = Terms(
            rate_bps=rate,
            start=start,
            end=UNSAID if end is None else None if end == FURTHER_NOTICE else end,
            source_prefixes=tuple(source) if source else None,
            destination_prefixes=tuple(destination) if destination else None,
        )
        if not terms.to_json():
            raise InvalidInput(
                "say what is to change: --rate, --start, --end, --source, --destination", field="terms"
            )
        if what_if:
            judged = here.client.requests.modify_what_if(request, terms)
            return Answer(judged, shown.evidence(judged), fitting(judged["verdict"]))
        return told(here.client.requests.modify(request, terms, reason=reason, key=here.key))

    @deed(app, "extend")
    def extend(here: Here, request: RequestId, end: UntilNotice, reason: Why) -> Answer:
        """Have a request last longer."""
        until: Any = None if end == FURTHER_NOTICE else end
        return told(here.client.requests.extend(request, end=until, reason=reason, key=here.key))

    @deed(app, "end-early")
    def end_early(here: Here, request: RequestId, reason: Why, end: EndOrNone = None) -> Answer:
        """Have a granted request end sooner; now, without --end."""
        return told(here.client.requests.end_early(request, end=end, reason=reason, key=here.key))

    @verb(app, "range")
    def range_(here: Here, request: RequestId) -> Answer:
        """Say how far a request could change at this moment."""
        found = here.client.requests.range(request)
        text = facts(
            [
                ("rate", f"{rate(found['least_bps'])} to {rate(found['most_bps'])}"),
                ("earliest start", instant(found["earliest_start"], none="it has begun")),
                ("latest end", instant(found["latest_end"], none="further notice")),
            ]
        )
        return Answer(found, text)

    @verb(app, "recheck")
    def recheck(here: Here, request: RequestId) -> Answer:
        """Say whether the last decision about a request follows from what was kept of it. Exit 1 unless it holds."""
        found = here.client.requests.recheck(request)
        rows = ((each["kind"], each["part"], each["text"]) for each in found["findings"])
        said = facts(
            [
                ("of", ", ".join(found["requests"])),
                ("decided", f"{found['deed']} {instant(found['at'])}" if found["deed"] else ""),
                ("follows again", found["verdict"]),
            ]
        )
        text = parts(f"{found['status']}\n{said}", table(("", "OF", "WHAT"), rows, none=""))
        return Answer(found, text, Exit.DONE if found["status"] == "holds" else Exit.NOT_SO)

    @deed(app, "modification-consent")
    def modification_consent(
        here: Here, request: RequestId, decline: Decline = False, reason: WhyOrNone = ""
    ) -> Answer:
        """Agree to what a request is to become, or decline; the receiver's."""
        return told(
            here.client.requests.consent_to_modification(
                request, agree=not decline, reason=reason, key=here.key
            )
        )

    @deed(app, "modification-withdraw")
    def modification_withdraw(here: Here, request: RequestId, reason: Why) -> Answer:
        """Take back what a request is to become; what was granted stays."""
        return told(here.client.requests.withdraw_modification(request, reason=reason, key=here.key))

    @deed(app, "withdraw")
    def withdraw(here: Here, request: RequestId, reason: Why) -> Answer:
        """Take a request back."""
        return told(here.client.requests.withdraw(request, reason=reason, key=here.key))

    @deed(app, "flow-label")
    def flow_label(here: Here, request: RequestId) -> Answer:
        """Draw a flow label for an undecided request."""
        return told(here.client.requests.draw_flow_label(request, key=here.key))

    @verb(app, "pack")
    def pack(
        here: Here,
        request: RequestId,
        kind: Annotated[str, typer.Option("--for", metavar="KIND", help="linux or ios.")],
        traffic: Annotated[str, typer.Option(metavar="KIND", help="real-time or elastic.")] = "",
        platform: Annotated[str, typer.Option(metavar="NAME", help="Of an IOS router: cisco-iosxe.")] = "",
        ios: Annotated[str, typer.Option(metavar="RELEASE")] = "",
        uplink: Annotated[str, typer.Option(metavar="INTERFACE", help="Towards the backbone.")] = "",
    ) -> Answer:
        """Print what to configure on your own side; notes go to standard error."""
        found = here.client.requests.pack(
            request, kind, traffic=traffic, platform=platform, ios=ios, uplink=uplink
        )
        return Answer(found, found["text"], aside="\n".join(f"note: {each}" for each in found["notes"]))

    @verb(app, "usage")
    def usage(
        here: Here,
        nren: Annotated[str, typer.Argument(metavar="NREN", help="Its name, such as JANET.")],
    ) -> Answer:
        """Say what an NREN may have at most, and has."""
        found = here.client.nrens.quota(here.client.nrens.named(nren)["id"])
        limits, used = found["limits"], found["used"]
        rows = [
            ("rate", rate(used["rate_bps"]), rate(limits["rate_bps"]) or "no bound"),
            ("open requests", used["open_requests"], _bound(limits["open_requests"])),
            ("holds", used["holds"], _bound(limits["holds"])),
        ]
        return Answer(found, table(("", "HAS", "AT MOST"), rows))

    @verb(app, "links")
    def links(here: Here, nren: _Name = None) -> Answer:
        """List the access links one can ask for, by name."""
        rows = list(here.client.access_links.list(nren=nren))
        text = table(
            ("LINK", "NREN", "CASE", "USABLE", "COMMITTED NOW"),
            (
                (
                    row["name"],
                    row["nren"],
                    row["case"],
                    rate(row["usable_bps"]),
                    ", ".join(
                        f"{each['direction']} {rate(each['rate_bps'])}" for each in row["committed"] or []
                    ),
                )
                for row in rows
            ),
            none="no links",
        )
        return Answer(rows, text)


def told(row: RequestDetail) -> Answer:
    """Return a request as a command says it."""
    return Answer(row, shown.request(row))


def _bound(limit: int | None) -> object:
    return "no bound" if limit is None else str(limit)
