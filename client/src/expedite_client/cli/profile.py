"""`profile`: servers and tokens, kept in a file that nobody else can read."""

from __future__ import annotations

import getpass
import os
import sys
from pathlib import Path
from typing import Annotated

import typer

from expedite_client import profiles
from expedite_client.cli.text import table
from expedite_client.cli.verbs import Answer, Here, verb
from expedite_client.errors import InvalidInput
from expedite_client.profiles import Profile, Profiles

_Name = Annotated[str, typer.Argument(metavar="NAME", help="What the profile is called.")]


def register(app: typer.Typer) -> None:
    """Add the commands."""

    @verb(app, "add")
    def add(
        _here: Here,
        name: _Name,
        url: Annotated[str, typer.Option("--url", metavar="URL", help="https://expedite.example")],
        ca_bundle: Annotated[
            Path | None, typer.Option("--ca-bundle", metavar="FILE", help="Certificates to trust instead.")
        ] = None,
        default: Annotated[
            bool, typer.Option("--default", help="The one that is meant where none is named.")
        ] = False,
    ) -> Answer:
        """Keep a server and a token; the token is read from standard input, never from the command line."""
        path = profiles.path_of(os.environ)
        bundle = str(ca_bundle.absolute()) if ca_bundle else None
        profiles.checked(name, Profile(url, "unsaid", bundle))
        profile = profiles.checked(name, Profile(url, _token(), bundle))

        def added(found: Profiles) -> Profiles:
            first = default or not found.named
            return Profiles({**found.named, name: profile}, name if first else found.default)

        profiles.changed(path, added)
        return Answer({"profile": name, "url": url, "file": str(path)}, f"{name} is kept in {path}")

    @verb(app, "list")
    def list_(_here: Here) -> Answer:
        """List profiles, without their tokens."""
        found = profiles.read(profiles.path_of(os.environ))
        rows = [
            {"profile": name, "url": each.url, "ca_bundle": each.ca_bundle, "default": name == found.default}
            for name, each in sorted(found.named.items())
        ]
        listed = (
            (row["profile"], row["url"], row["ca_bundle"], "default" if row["default"] else "")
            for row in rows
        )
        return Answer(rows, table(("PROFILE", "URL", "CA BUNDLE", ""), listed, none="no profiles"))

    @verb(app, "use")
    def use(_here: Here, name: _Name) -> Answer:
        """Mean this profile where none is named."""
        path = profiles.path_of(os.environ)
        profiles.changed(path, lambda found: Profiles(_named(found, name).named, name))
        return Answer({"profile": name}, f"{name} is the default")

    @verb(app, "remove")
    def remove(_here: Here, name: _Name) -> Answer:
        """Forget a profile. Its token still works: revoke it first."""

        def less(found: Profiles) -> Profiles:
            left = {key: each for key, each in _named(found, name).named.items() if key != name}
            return Profiles(left, found.default if found.default in left else None)

        profiles.changed(profiles.path_of(os.environ), less)
        return Answer({"profile": name}, f"{name} is forgotten")


def _named(found: Profiles, name: str) -> Profiles:
    if name not in found.named:
        raise InvalidInput(profiles.missing(name, found), field="profile")
    return found


def _at_a_terminal() -> bool:
    return sys.stdin.isatty()


def _token() -> str:
    """The token, typed without being shown, or the first line of standard input."""
    if _at_a_terminal():
        try:
            return getpass.getpass("Token: ").strip()
        except EOFError as error:
            raise InvalidInput("no token was typed, and nothing is kept", field="token") from error
    return sys.stdin.readline().strip()
