"""`whoami`: who speaks with the token of the profile."""

from __future__ import annotations

import typer

from expedite_client.cli.text import hanging, instant
from expedite_client.cli.verbs import Answer, Here, verb


def register(app: typer.Typer) -> None:
    """Add the command."""

    @verb(app, "whoami")
    def whoami(here: Here) -> Answer:
        """Say who speaks with this token and where, for which NRENs, in which roles, and when it ends."""
        me = here.client.me()
        token = me["token"]
        rows = [
            ("server", here.server),
            ("with", here.origin),
            ("user", me["user"]),
            ("roles", ", ".join(me["roles"])),
            ("NRENs", ", ".join(nren["name"] for nren in me["nrens"]) or "none"),
            ("may", ", ".join(me["verbs"])),
            ("token", f"{token['id']}, exp_{token['prefix']} ({token['name']}), {token['state']}"),
            ("scopes", ", ".join(token["scopes"])),
            ("from", ", ".join(token["allowed_networks"]) or "anywhere"),
            ("ends", instant(token["expires_at"], none="never")),
        ]
        return Answer(me, hanging(rows))
