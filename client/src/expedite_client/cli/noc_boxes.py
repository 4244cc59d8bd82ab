"""`noc`: what a router can do, its chassis, and the lines that it would forget."""

from __future__ import annotations

from typing import Annotated

import typer

from expedite_client.cli.exits import Exit
from expedite_client.cli.given import RouterName, Why
from expedite_client.cli.text import as_it_is, facts, instant, one_line, parts, table
from expedite_client.cli.verbs import Answer, Here, deed, verb
from expedite_client.resources.network import Capabilities
from expedite_client.values.proofs import Unsaved


def register(app: typer.Typer) -> None:
    """Add the commands."""

    @verb(app, "capabilities")
    def capabilities(here: Here, router: RouterName) -> Answer:
        """Say what a router said it can do when it was asked last."""
        return _can(here.client.routers.capabilities(here.client.routers.named(router)["id"]))

    @verb(app, "probe")
    def probe(here: Here, router: RouterName) -> Answer:
        """Ask a router now what it can do, by questions that change nothing."""
        return _can(here.client.routers.probe(here.client.routers.named(router)["id"]))

    @deed(app, "chassis")
    def chassis(
        here: Here,
        router: RouterName,
        serial: Annotated[str, typer.Option("--serial", metavar="SERIAL", help="Of the new chassis.")],
        reason: Why,
    ) -> Answer:
        """Take the serial of a chassis that was replaced, and that answered already."""
        key = here.client.routers.named(router)["id"]
        row = here.client.routers.chassis(key, serial=serial, reason=reason, key=here.key)
        return Answer(row, one_line(f"{row['name']} has {row['serial']}"))

    @verb(app, "unsaved")
    def unsaved(here: Here, router: RouterName) -> Answer:
        """Say which running lines a router would forget, by whose they are. Exit 1 where there are some."""
        row = here.client.routers.unsaved(here.client.routers.named(router)["id"])
        return Answer(row, _unsaved(row), Exit.NOT_SO if row["ours"] or row["foreign"] else Exit.DONE)

    @verb(app, "save")
    def save(
        here: Here,
        router: RouterName,
        seen: Annotated[str, typer.Option("--seen", metavar="DIGEST", help="That `noc unsaved` shows.")],
        reason: Why,
    ) -> Answer:
        """Save exactly the lines that were shown. Twice, the second finds nothing to save."""
        row = here.client.routers.save(here.client.routers.named(router)["id"], seen=seen, reason=reason)
        said = "saved" if row["saved"] else "there was nothing to save"
        meanwhile = [f"  {as_it_is(line)}" for line in row["meanwhile"]]
        more = "\n".join(["typed between the look and the save:", *meanwhile]) if meanwhile else ""
        return Answer(row, parts(f"{one_line(row['router'])}: {said}", more))


def _can(rows: Capabilities) -> Answer:
    listed = (
        (
            each["capability"],
            {True: "yes", False: "no", None: "not known"}[each["can"]],
            each["ios"],
            instant(each["at"]),
            each["said"],
        )
        for each in rows
    )
    heads = ("CAPABILITY", "CAN", "IOS", "ASKED", "IT SAID")
    return Answer(rows, table(heads, listed, none="it was never asked"))


def _unsaved(row: Unsaved) -> str:
    said = facts([("digest", row["digest"]), ("read", instant(row["read_at"], none="never"))])
    ours = "\n".join(["ours:", *(f"  {as_it_is(line)}" for line in row["ours"])]) if row["ours"] else ""
    foreign = (
        "\n".join(
            [
                "of other people:",
                *(
                    f"  {as_it_is(line)}  (since {instant(row['since'].get(line), none='nobody knows')})"
                    for line in row["foreign"]
                ),
            ]
        )
        if row["foreign"]
        else ""
    )
    return parts(ours or foreign or "nothing is unsaved", foreign if ours else "", said)
