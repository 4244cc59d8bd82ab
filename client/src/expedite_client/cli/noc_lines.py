"""`noc`: the lines of a request before they are due, approved once."""

from __future__ import annotations

from typing import Annotated

import typer

from expedite_client.cli import reading
from expedite_client.cli.approving import Gaps, Override, Said, Seen, answered, must_ask
from expedite_client.cli.given import RequestId, Why, WhyIfAny
from expedite_client.cli.verbs import Answer, Here, deed, verb


def register(app: typer.Typer) -> None:
    """Add the commands."""

    @verb(app, "lines")
    def lines(here: Here, request: RequestId) -> Answer:
        """Show the lines that put a request on and take it off, and their fingerprint."""
        found = here.client.requests.lines(request)
        return Answer(found, reading.ahead(found))

    @deed(app, "approve-lines")
    def approve_lines(
        here: Here,
        request: RequestId,
        seen: Seen = None,
        on: Annotated[bool, typer.Option("--on/--no-on", help="Those that put it on.")] = True,
        off: Annotated[bool, typer.Option("--off/--no-off", help="Those that take it off.")] = True,
        confirm_gaps: Gaps = False,
        override: Override = "",
        reason: WhyIfAny = "",
    ) -> Answer:
        """Approve the lines of a request before they are due: they go out then if they are still the same."""
        said = Said(confirm_gaps, override)
        if seen is None:
            must_ask(here, f"expedite noc lines {request}")
            found = here.client.requests.lines(request)
            sides = [side for side in found["sides"] if (on if side["puts_on"] else off)]
            said = answered(
                reading.ahead(found),
                said,
                gaps=any(side["gaps"] for side in sides),
                doubts=any(side["doubts"] for side in sides),
            )
            seen = found["fingerprint"]
        given = here.client.requests.approve_lines(
            request,
            seen=seen,
            on=on,
            off=off,
            confirm_gaps=said.confirm_gaps,
            override=said.override,
            reason=reason,
            key=here.key,
        )
        return Answer(given, reading.ahead(given))

    @deed(app, "revoke-lines")
    def revoke_lines(here: Here, request: RequestId, reason: Why) -> Answer:
        """Revoke every approval of its lines that was given ahead."""
        found = here.client.requests.revoke_lines(request, reason=reason, key=here.key)
        return Answer(found, reading.ahead(found))
