"""`noc`: what approvers did alone, and the word of another that it was seen; what an NREN may have."""

from __future__ import annotations

from typing import Annotated, cast

import typer

from expedite_client.cli.given import FREE, HoldsBound, OpenBound, RateBound, Why, WhyIfAny
from expedite_client.cli.text import instant, one_line, rate, table
from expedite_client.cli.verbs import Answer, Here, deed, verb
from expedite_client.errors import InvalidInput
from expedite_client.values.network import Limits
from expedite_client.values.telling import BreakGlass


def register(app: typer.Typer) -> None:
    """Add the commands."""

    @verb(app, "break-glass")
    def break_glass(
        here: Here,
        standing: Annotated[bool, typer.Option("--standing", help="Those that nobody has seen.")] = False,
    ) -> Answer:
        """List what an approver did alone, the newest first."""
        rows = list(here.client.broken_glass.list(standing=standing or None))
        listed = (
            (row["id"], row["deed"], row["by"], instant(row["at"]), row["reason"], row["acknowledged_by"])
            for row in rows
        )
        heads = ("ID", "DEED", "BY", "AT", "REASON", "SEEN BY")
        return Answer(rows, table(heads, listed, none="nobody went ahead alone"))

    @deed(app, "acknowledge")
    def acknowledge(
        here: Here,
        row: Annotated[int, typer.Argument(metavar="ID", min=1, help="Of `noc break-glass`.")],
        reason: WhyIfAny = "",
    ) -> Answer:
        """Say that you, and not who did it, have seen what was done alone."""
        return _alone(here.client.broken_glass.acknowledge(row, reason=reason, key=here.key))

    @deed(app, "quota")
    def quota(
        here: Here,
        reason: Why,
        nren: Annotated[
            str | None,
            typer.Argument(metavar="NREN", help="Its name; without one all that have none of their own."),
        ] = None,
        rate_bps: RateBound = None,
        open_requests: OpenBound = None,
        holds: HoldsBound = None,
    ) -> Answer:
        """Set what an NREN may have at most; `none` is no bound of its own, and what is not given stays.

        Exit 1 where somebody else set it meanwhile.
        """
        given = {"rate_bps": rate_bps, "open_requests": open_requests, "holds": holds}
        if all(value is None for value in given.values()):
            raise InvalidInput("say what it is to be: --rate, --open-requests, --holds", field="limits")
        nrens = here.client.nrens
        key = None if nren is None else nrens.named(nren)["id"]
        seen = nrens.quota_of_all() if key is None else nrens.quota(key)["own"]
        wanted = _changed(seen, given)
        if key is None:
            made = nrens.set_quota_of_all(limits=wanted, seen=seen, reason=reason, key=here.key)
            return Answer(made, _bounds(made))
        found = nrens.set_quota(key, limits=wanted, seen=seen, reason=reason, key=here.key)
        return Answer(found, _bounds(found["limits"]))


def _changed(seen: Limits, given: dict[str, object]) -> Limits:
    return cast(
        Limits,
        {
            name: standing if given[name] is None else None if given[name] == FREE else given[name]
            for name, standing in seen.items()
        },
    )


def _bounds(limits: Limits) -> str:
    rows = [
        ("rate", rate(limits["rate_bps"]) or "no bound"),
        *(
            (name, "no bound" if value is None else str(value))
            for name, value in (("open requests", limits["open_requests"]), ("holds", limits["holds"]))
        ),
    ]
    return table(("", "AT MOST"), rows)


def _alone(row: BreakGlass) -> Answer:
    return Answer(
        row, one_line(f"{row['reference']}  {row['deed']} by {row['by']}: seen by {row['acknowledged_by']}")
    )
