"""`noc`: routers as they stand, and pushes that ended otherwise than planned."""

from __future__ import annotations

from itertools import islice
from typing import Annotated

import typer

from expedite_client.cli import ended, standing
from expedite_client.cli.exits import Exit
from expedite_client.cli.given import NextVerb, PushId, RouterName, Why, WhyUnlessLook
from expedite_client.cli.text import instant, table
from expedite_client.cli.verbs import Answer, Here, deed, verb
from expedite_client.values.changes import Stop
from expedite_client.values.network import Standing


def register(app: typer.Typer) -> None:
    """Add the commands."""

    @verb(app, "routers")
    def routers(here: Here) -> Answer:
        """List routers and whether they are as intended."""
        rows = list(here.client.routers.list())
        listed = ((row["name"], row["pop"], row["platform"], row["ios"], row["sync"]) for row in rows)
        return Answer(rows, table(("ROUTER", "POP", "PLATFORM", "IOS", "STANDS"), listed, none="no routers"))

    @verb(app, "standing")
    def stands(here: Here, router: RouterName) -> Answer:
        """Say how a router stood when it was last read. Exit 1 unless it was in sync."""
        return _standing(here.client.routers.standing(here.client.routers.named(router)["id"]))

    @verb(app, "verify")
    def verify(here: Here, router: RouterName) -> Answer:
        """Read a router now and compare it with what is intended. Exit 1 unless it is in sync."""
        return _standing(here.client.routers.verify(here.client.routers.named(router)["id"]))

    @verb(app, "pushes")
    def pushes(
        here: Here,
        router: Annotated[str | None, typer.Option(metavar="NAME")] = None,
        state: Annotated[
            list[str] | None, typer.Option("--state", metavar="STATE", help="UNKNOWN; again for more.")
        ] = None,
        limit: Annotated[int, typer.Option(min=1, metavar="N", help="So many at most.")] = 50,
    ) -> Answer:
        """List pushes, the newest first."""
        found = here.client.pushes.list(router=router, state=state)
        rows = list(islice(found, limit))
        return Answer(rows, ended.pushes(rows))

    @verb(app, "push-show")
    def push_show(here: Here, push: PushId) -> Answer:
        """Say what happened to a push, why, and what is to be typed next."""
        row = here.client.pushes.show(push)
        return Answer(row, ended.push(row))

    @deed(app, "next-step")
    def next_step(
        here: Here,
        push: PushId,
        verb: NextVerb,
        reason: WhyUnlessLook = "",
        seen: Annotated[
            str, typer.Option(metavar="DIGEST", help="For save: of the lines that were shown.")
        ] = "",
    ) -> Answer:
        """Do the next step after the end of a push; `noc push-show` says which there are."""
        found = here.client.pushes.next_step(push, verb=verb, reason=reason, seen=seen, key=here.key)
        named = f"CHG-{found['change']}"
        # What is said names the change where it is planned anew.
        more = f" ({named})" if found["change"] and named not in found["said"] else ""
        return Answer(found, found["said"] + more)

    @deed(app, "try-now")
    def try_now(here: Here, push: PushId) -> Answer:
        """Have the router of a push that broke off read as soon as a worker is free."""
        row = here.client.pushes.try_now(push, key=here.key)
        return Answer(row, ended.pushes([row]))

    @verb(app, "stopped")
    def stopped(here: Here) -> Answer:
        """Say whether every push is held, by whom and why."""
        return _stop(here.client.pushes.stopped())

    @deed(app, "stop")
    def stop(here: Here, reason: Why) -> Answer:
        """Stop every push."""
        return _stop(here.client.pushes.stop(reason=reason, key=here.key))

    @deed(app, "go-on")
    def go_on(here: Here, reason: Why) -> Answer:
        """Let pushes go on."""
        return _stop(here.client.pushes.go_on(reason=reason, key=here.key))


def _standing(row: Standing) -> Answer:
    return Answer(row, standing.standing(row), Exit.DONE if row["state"] == "in-sync" else Exit.NOT_SO)


def _stop(row: Stop) -> Answer:
    since = f" since {instant(row['since'])}: {row['reason']}"
    return Answer(
        row, f"every push is held by {row['by'] or 'a restore'}{since}" if row["stopped"] else "pushes go on"
    )
