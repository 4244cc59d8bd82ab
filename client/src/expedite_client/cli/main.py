"""`expedite`: the commands, put together."""

from __future__ import annotations

from typing import Annotated

import typer

from expedite_client.cli import (
    asking,
    capacity,
    events,
    links,
    me,
    noc_alone,
    noc_boxes,
    noc_changes,
    noc_lines,
    noc_promises,
    noc_proofs,
    noc_routers,
    paths,
    profile,
    requests,
    series,
    telling,
    tokens,
    watch,
)
from expedite_client.cli.verbs import AsJson, Named
from expedite_client.version import VERSION


def _version(asked: bool) -> None:
    if asked:
        typer.echo(f"expedite {VERSION}")
        raise typer.Exit


def built() -> typer.Typer:
    """Return the command line."""
    # Pretty tracebacks show local variables, and one of them is a token.
    app = typer.Typer(
        name="expedite", rich_markup_mode=None, no_args_is_help=True, pretty_exceptions_enable=False
    )

    @app.callback()
    def expedite(
        context: typer.Context,
        as_json: AsJson = False,
        profile: Named = None,
        _version_asked: Annotated[
            bool,
            typer.Option("--version", callback=_version, is_eager=True, help="Say which client this is."),
        ] = False,
    ) -> None:
        """IP Premium between research networks, from the command line.

        Exit status: 0 done, 1 refused or does not fit, 2 bad input, 3 not permitted, 4 not found, 5 no server, 130 interrupted.
        """
        context.obj = {"as_json": as_json, "profile": profile}

    for part in (asking, requests, watch, events, me):
        part.register(app)
    for name, parts, about in (
        ("series", (series,), "Windows that come again; asked for by submit --rrule."),
        (
            "noc",
            (noc_promises, noc_changes, noc_proofs, noc_lines, noc_routers, noc_boxes, noc_alone),
            "What the NOC decides, approves and sends.",
        ),
        ("link", (links,), "Core links, and what fails with them."),
        ("capacity", (capacity,), "What links carry, and pools take, over time."),
        ("path", (paths,), "Paths as routers see them; requests that move."),
        ("subscriber", (telling,), "Who is told what happens."),
        ("token", (tokens,), "Tokens of the API."),
        ("profile", (profile,), "Servers and tokens kept on this machine."),
    ):
        group = typer.Typer(rich_markup_mode=None, no_args_is_help=True, help=about)
        for part in parts:
            part.register(group)
        app.add_typer(group, name=name)
    return app


def main() -> None:
    """Run the command line."""
    built()()
