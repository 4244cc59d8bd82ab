"""`token`: tokens listed, issued, rotated and revoked. A text is shown once."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import datetime
from pathlib import Path
from typing import Annotated, Any

import typer

from expedite_client import profiles
from expedite_client.asking import UNSAID
from expedite_client.cli.exits import Exit
from expedite_client.cli.given import Expiry, TokenId, Why
from expedite_client.cli.text import instant, table
from expedite_client.cli.verbs import Answer, Here, deed, verb
from expedite_client.errors import InvalidInput
from expedite_client.profiles import Profile, Profiles
from expedite_client.values.trail import TokenIssued

_LOST = "its text was lost with the first answer, and nobody has it: revoke it"


def register(app: typer.Typer) -> None:
    """Add the commands."""

    @verb(app, "list")
    def list_(
        here: Here,
        live: Annotated[bool, typer.Option("--live", help="Those that can be used.")] = False,
        user: Annotated[str | None, typer.Option(metavar="NAME")] = None,
    ) -> Answer:
        """List tokens, without their text."""
        rows = list(here.client.tokens.list(user=user, live=live or None))
        text = table(
            ("TOKEN", "PREFIX", "NAME", "USER", "STATE", "SCOPES", "EXPIRES", "LAST USED"),
            (
                (
                    row["id"],
                    f"exp_{row['prefix']}",
                    row["name"],
                    row["user"],
                    row["state"],
                    ",".join(row["scopes"]),
                    instant(row["expires_at"], none="never"),
                    instant(row["last_used_at"], none="never"),
                )
                for row in rows
            ),
            none="no tokens",
        )
        return Answer(rows, text)

    @deed(app, "issue")
    def issue(
        here: Here,
        name: Annotated[str, typer.Argument(metavar="NAME", help="What uses it.")],
        scope: Annotated[
            list[str] | None, typer.Option("--scope", metavar="SCOPE", help="read, write; again for more.")
        ] = None,
        expires: Expiry = None,
        network: Annotated[
            list[str] | None, typer.Option(metavar="CIDR", help="From where it may be used; again for more.")
        ] = None,
    ) -> Answer:
        """Issue a token that is no wider than the one that asks; its text is printed once."""
        until: datetime | Any = UNSAID if expires is None else expires
        made = here.client.tokens.issue(
            name, scopes=scope, expires_at=until, allowed_networks=network, key=here.key
        )
        return _issued(made)

    @deed(app, "rotate")
    def rotate(
        here: Here,
        token: TokenId,
        reason: Why,
        overlap: Annotated[
            int,
            typer.Option(
                "--overlap", min=0, max=168, metavar="HOURS", help="The old one works so much longer."
            ),
        ] = 1,
        lost: Annotated[
            int | None,
            typer.Option(
                "--lost",
                min=1,
                metavar="TOKEN",
                help="It was rotated before, into this one, and nobody has its text: revoke that.",
            ),
        ] = None,
        save: Annotated[
            bool, typer.Option("--save", help="Keep it in the profile; its text is not printed.")
        ] = False,
    ) -> Answer:
        """Put a new token in the place of the one that asks."""

        def rotated() -> TokenIssued:
            return here.client.tokens.rotate(
                _id(here, token), reason=reason, overlap_hours=overlap, lost=lost, key=here.key
            )

        if not save:
            return _issued(rotated())
        with _place(here) as (path, name, found):
            made = rotated()
            text = made["text"]
            if text is None:
                return _issued(made)
            old = found.named[name]
            kept = {**found.named, name: Profile(old.url, text, old.ca_bundle)}
            try:
                profiles.write(path, Profiles(kept, found.default))
            except OSError as error:
                # It is told this once: shown to whoever asked it is better than lost.
                shown = _issued(made)
                why = f"{path} cannot be written ({error.strerror or error}): keep the text yourself"
                return Answer(shown.value, shown.text, Exit.NOT_SO, aside=f"{shown.aside}\n{why}")
        return Answer(
            {**made, "text": None},
            f"token {made['id']} is in profile {name}; the old one ends in {overlap} h",
        )

    @deed(app, "revoke")
    def revoke(here: Here, token: TokenId, reason: Why) -> Answer:
        """End a token now, with all that it issued."""
        row = here.client.tokens.revoke(_id(here, token), reason=reason, key=here.key)
        return Answer(row, f"token {row['id']} ({row['name']}) is {row['state']}")


def _id(here: Here, token: int | str) -> int:
    """The id of a token that is named by it, or by its public prefix."""
    return token if isinstance(token, int) else here.client.tokens.named(token)["id"]


@contextmanager
def _place(here: Here) -> Iterator[tuple[Path, str, Profiles]]:
    """The file, the name and the profiles where the new token goes, locked: who rotates another meanwhile waits.

    Raises InvalidInput where the environment has the token, and where the file cannot be written.
    """
    if here.profile is None and (os.environ.get("EXPEDITE_TOKEN") or os.environ.get("EXPEDITE_URL")):
        raise InvalidInput("the token is the environment's, and in no profile", field="--save")
    path = profiles.path_of(os.environ)
    profiles.standing(here.profile, os.environ, profiles.read(path))
    # Before the old one ends, not after: a disk that is full would take the new one with it.
    profiles.changed(path, lambda found: found)
    with profiles.locked(path) as found:
        # Named and read only now: another command may have rotated the token of this profile while we waited.
        yield path, profiles.standing(here.profile, os.environ, found), found


def _issued(made: TokenIssued) -> Answer:
    if made["text"] is None:
        # Aside: standard output may go to the file that the text was to be in.
        again = f", or rotate again with --lost {made['id']}" if made["replaces"] else ""
        return Answer(made, "", Exit.NOT_SO, aside=f"token {made['id']}: {_LOST}{again}")
    return Answer(
        made, made["text"], aside=f"token {made['id']} ({made['name']}): its text is shown this once"
    )
