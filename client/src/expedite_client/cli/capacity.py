"""`capacity`: what a link carries, or a pool takes of links, from a date on or between two."""

from __future__ import annotations

from typing import Annotated

import typer

from expedite_client.cli import effects
from expedite_client.cli.exits import Exit
from expedite_client.cli.given import EndOrNone, RateArgument, StartOrNone, WhatIf, WhyOrWhatIf
from expedite_client.cli.text import instant, one_line, parts, table
from expedite_client.cli.verbs import Answer, Here, deed, verb
from expedite_client.errors import InvalidInput
from expedite_client.values.links import CapacityDone, EffectOfCapacity

_Change = Annotated[int, typer.Argument(metavar="ID", min=1, help="Of `capacity list`.")]


def register(app: typer.Typer) -> None:
    """Add the commands."""

    @verb(app, "list")
    def list_(
        here: Here,
        link: Annotated[str | None, typer.Option("--link", metavar="LINK")] = None,
        taken_back: Annotated[
            bool, typer.Option("--taken-back", help="Those that were taken back, too.")
        ] = False,
    ) -> Answer:
        """List changes of capacity that stand; an NREN those of its own access links."""
        # Of those that stand the server is asked: its list has all of them.
        rows = list(here.client.capacity_changes.list(link=link, taken_back=None if taken_back else False))
        text = table(
            ("ID", "CHANGE", "TAKEN BACK", "REASON", "SAID BY"),
            (
                (row["id"], row["text"], instant(row["taken_back_at"]), row["reason"], row["said_by"])
                for row in rows
            ),
            none="no changes of capacity",
        )
        return Answer(rows, text)

    @deed(app, "link")
    def link(
        here: Here,
        link: Annotated[str, typer.Argument(metavar="LINK", help="Of whatever kind, by its name.")],
        usable: RateArgument,
        start: StartOrNone = None,
        end: EndOrNone = None,
        reason: WhyOrWhatIf = "",
        what_if: WhatIf = False,
    ) -> Answer:
        """Say what a link carries, from now or --start on.

        With --what-if nothing is changed: exit 1 where somebody would fit no more.
        """
        changes = here.client.capacity_changes
        if what_if:
            return _tried(changes.of_link_what_if(link, usable, start=start, end=end))
        _must_say_why(reason)
        return _done(changes.of_link(link, usable, reason=reason, start=start, end=end, key=here.key))

    @deed(app, "pool")
    def pool(
        here: Here,
        pool: Annotated[str, typer.Argument(metavar="POOL", help="A pool of the scheme.")],
        kind: Annotated[str, typer.Argument(metavar="KIND", help="access, core or border.")],
        percent: Annotated[str, typer.Argument(metavar="PERCENT", help="Of each of them: 12.5.")],
        start: StartOrNone = None,
        end: EndOrNone = None,
        reason: WhyOrWhatIf = "",
        what_if: WhatIf = False,
    ) -> Answer:
        """Say how much a pool takes of all links of a kind.

        With --what-if nothing is changed: exit 1 where somebody would fit no more.
        """
        changes = here.client.capacity_changes
        if what_if:
            return _tried(changes.of_pool_what_if(pool, kind, percent, start=start, end=end))
        _must_say_why(reason)
        return _done(changes.of_pool(pool, kind, percent, reason=reason, start=start, end=end, key=here.key))

    @deed(app, "take-back")
    def take_back(here: Here, change: _Change, reason: WhyOrWhatIf = "", what_if: WhatIf = False) -> Answer:
        """Take a change of capacity back: it is as if it had not been said."""
        if what_if:
            return _tried(here.client.capacity_changes.take_back_what_if(change))
        _must_say_why(reason)
        return _done(here.client.capacity_changes.take_back(change, reason=reason, key=here.key))


def _must_say_why(reason: str) -> None:
    if not reason:
        raise InvalidInput("say why", field="--reason")


def _tried(found: EffectOfCapacity) -> Answer:
    return Answer(found, effects.capacity(found), Exit.NOT_SO if found["breaks_in_all"] else Exit.DONE)


def _done(row: CapacityDone) -> Answer:
    return Answer(row, parts(f"{row['id']}  {one_line(row['text'])}", effects.capacity(row["effect"])))
