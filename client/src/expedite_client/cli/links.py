"""`link`: core links, what fails with them, and what is declared of them. The NOC's; auditors look."""

from __future__ import annotations

from typing import Annotated

import typer

from expedite_client.cli import effects
from expedite_client.cli.exits import Exit
from expedite_client.cli.given import EndOrNone, StartOrNone, WhatIf, WhyOrWhatIf
from expedite_client.cli.text import rate, table
from expedite_client.cli.verbs import Answer, Here, deed, verb
from expedite_client.errors import InvalidInput

_Link = Annotated[str, typer.Argument(metavar="LINK", help="Its name, such as nl6:POS1/0--de6:POS2/0.")]


def register(app: typer.Typer) -> None:
    """Add the commands."""

    @verb(app, "list")
    def list_(here: Here) -> Answer:
        """List core links: whether one is down, what it carries and what is charged to it."""
        rows = list(here.client.core_links.list())
        text = table(
            ("LINK", "METRIC", "DOWN", "USABLE", "COMMITTED NOW"),
            (
                (
                    row["name"],
                    row["metric"],
                    "down" if row["down"] else "",
                    rate(row["usable_bps"]),
                    ", ".join(
                        f"{each['pool']} {each['direction']} {rate(each['rate_bps'])}"
                        for each in row["committed"] or []
                    ),
                )
                for row in rows
            ),
            none="no core links",
        )
        return Answer(rows, text)

    @verb(app, "failure")
    def failure(here: Here, link: _Link) -> Answer:
        """Say what the failure of a link would do. Exit 1 where somebody would be without what was promised."""
        found = here.client.core_links.failure(here.client.core_links.named(link)["id"])
        harmed = found["unprotected"] or found["cut_off"] or found["overloads"]
        return Answer(found, effects.failure(found), Exit.NOT_SO if harmed else Exit.DONE)

    @verb(app, "failures")
    def failures(here: Here) -> Answer:
        """List all single failures that reroute or cut off anybody, the worst first, as they were last worked out."""
        found = here.client.core_links.failures()
        return Answer(found, effects.failures(found))

    @verb(app, "work")
    def work(
        here: Here,
        links: Annotated[list[str], typer.Argument(metavar="LINK...", help="Up to 50 core links.")],
        start: StartOrNone = None,
        end: EndOrNone = None,
    ) -> Answer:
        """Say who would move, fit no more or have no path if links carried nothing for a time.

        Exit 1 where somebody would not fit, or have no path.
        """
        found = here.client.core_links.planned_work(links, start=start, end=end)
        harmed = found["without_path_in_all"] or found["too_much_in_all"]
        return Answer(found, effects.work(found), Exit.NOT_SO if harmed else Exit.DONE)

    @deed(app, "declare")
    def declare(
        here: Here,
        link: _Link,
        what: Annotated[str, typer.Argument(metavar="DEED", help="down, up or removed.")],
        reason: WhyOrWhatIf = "",
        what_if: WhatIf = False,
    ) -> Answer:
        """Declare a link down or up, or take it away. With --what-if nothing is changed: exit 1 where somebody is harmed."""
        if not what_if and not reason:
            raise InvalidInput("say why", field="--reason")
        key = here.client.core_links.named(link)["id"]
        if what_if:
            found = here.client.core_links.declare_what_if(key, what)
            harmed = found["without_path_in_all"] or found["too_much_by_this_in_all"]
            return Answer(found, effects.renewal(found), Exit.NOT_SO if harmed else Exit.DONE)
        done = here.client.core_links.declare(key, what, reason=reason, key=here.key)
        return Answer(done, effects.renewal(done))
