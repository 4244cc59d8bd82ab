"""`subscriber`: who is told what happens, by mail or webhook. The NOC's; auditors look."""

from __future__ import annotations

import getpass
import sys
from itertools import islice
from typing import Annotated

import typer

from expedite_client.cli.given import Moment, Since
from expedite_client.cli.text import instant, one_line, table
from expedite_client.cli.verbs import Answer, Here, deed, verb
from expedite_client.values.telling import Subscriber

_Id = Annotated[int, typer.Argument(metavar="ID", min=1, help="Of `subscriber list`.")]
_Topics = Annotated[
    list[str] | None,
    typer.Option("--topic", metavar="TOPIC", help="Again for more; all but decisions if none."),
]
_Nren = Annotated[
    str | None, typer.Option("--nren", metavar="NAME", help="Only decisions on requests of this NREN.")
]


def register(app: typer.Typer) -> None:
    """Add the commands."""

    @verb(app, "list")
    def list_(here: Here) -> Answer:
        """List who is told, of what, and how their messages stand."""
        rows = list(here.client.subscribers.list())
        listed = (
            (
                row["id"],
                row["channel"],
                row["address"],
                ", ".join(row["topics"]),
                instant(row["sent_at"], none="never"),
                str(row["waiting"]),
                row["error"],
            )
            for row in rows
        )
        heads = ("ID", "BY", "ADDRESS", "TOPICS", "LAST TAKEN", "WAITING", "ERROR")
        return Answer(rows, table(heads, listed, none="nobody is told"))

    @deed(app, "mail")
    def mail(
        here: Here,
        address: Annotated[str, typer.Argument(metavar="ADDRESS")],
        topic: _Topics = None,
        nren: _Nren = None,
    ) -> Answer:
        """Tell a mail address from now on."""
        return _told(
            here.client.subscribers.add_mail(address, topics=topic or (), nren=_key(here, nren), key=here.key)
        )

    @deed(app, "webhook")
    def webhook(here: Here, topic: _Topics = None, nren: _Nren = None) -> Answer:
        """Call a webhook from now on; its URL and its secret are read from standard input, a line each, and shown to nobody."""
        url, secret = _asked("URL: "), _asked("Secret: ")
        return _told(
            here.client.subscribers.add_webhook(
                url, secret, topics=topic or (), nren=_key(here, nren), key=here.key
            )
        )

    @deed(app, "change")
    def change(here: Here, subscriber: _Id, topic: _Topics = None) -> Answer:
        """Tell it of these topics from now on."""
        return _told(here.client.subscribers.change(subscriber, topics=topic or (), key=here.key))

    @deed(app, "test")
    def test(here: Here, subscriber: _Id) -> Answer:
        """Send it a message that is a test; `subscriber list` says whether it was taken."""
        found = here.client.subscribers.test(subscriber, key=here.key)
        return Answer(found, f"message {found['message']} is on its way")

    @verb(app, "messages")
    def messages(
        here: Here,
        subscriber: _Id,
        state: Annotated[
            list[str] | None,
            typer.Option(
                "--state", metavar="STATE", help="waiting, sent, given-up, dropped; again for more."
            ),
        ] = None,
        limit: Annotated[int, typer.Option(min=1, metavar="N", help="So many at most.")] = 100,
    ) -> Answer:
        """List what it was sent, the newest first."""
        found = here.client.subscribers.messages(subscriber, state=state, page_size=min(limit, 200))
        rows = list(islice(found, limit))
        listed = (
            (
                row["id"],
                instant(row["made_at"]),
                f"{row['state']} again" if row["sent_again"] else row["state"],
                row["notifications"],
                ", ".join(row["topics"]),
                row["attempts"],
                row["error"],
            )
            for row in rows
        )
        heads = ("ID", "MADE", "STATE", "TELLS", "TOPICS", "TRIES", "ERROR")
        return Answer(rows, table(heads, listed, none="nothing was sent"))

    @deed(app, "replay")
    def replay(here: Here, subscriber: _Id, since: Since, until: Moment = None) -> Answer:
        """Send it again what it was sent in that time, under the same numbers, so that a receiver that has it drops it."""
        found = here.client.subscribers.replay(subscriber, since=since, until=until, key=here.key)
        waits = f"; {found['waiting']} of that time waiting already" if found["waiting"] else ""
        return Answer(found, f"{found['messages']} messages are sent again{waits}")

    @deed(app, "end")
    def end(here: Here, subscriber: _Id) -> Answer:
        """Tell it no more; what waits for it is dropped."""
        return _told(here.client.subscribers.end(subscriber, key=here.key))


def _told(row: Subscriber) -> Answer:
    topics = ", ".join(row["topics"]) or "everything but decisions"
    return Answer(row, one_line(f"{row['id']}  {row['channel']}  {row['address']}  {topics}"))


def _key(here: Here, nren: str | None) -> int | None:
    return None if nren is None else here.client.nrens.named(nren)["id"]


def _asked(what: str) -> str:
    """A line that is typed without being shown, or the next one of standard input."""
    return getpass.getpass(what).strip() if sys.stdin.isatty() else sys.stdin.readline().strip()
