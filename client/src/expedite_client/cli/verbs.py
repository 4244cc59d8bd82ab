"""What every command has in common: its profile, `--json`, its errors and its exit status."""

from __future__ import annotations

import inspect
import json
import math
import os
import sys
from collections.abc import Callable
from dataclasses import dataclass
from typing import Annotated, Any, get_type_hints

import typer

from expedite_client import profiles
from expedite_client.cli.exits import Exit, exit_of
from expedite_client.cli.text import one_line, plain
from expedite_client.client import Client
from expedite_client.errors import ClientError, InvalidInput, Problem
from expedite_client.transport import TRIES

AsJson = Annotated[
    bool, typer.Option("--json", help="Print one JSON document, and nothing else, on standard output.")
]
Named = Annotated[
    str | None, typer.Option("--profile", metavar="NAME", help="Which profile; see `expedite profile list`.")
]

Key = Annotated[
    str | None,
    typer.Option("--key", metavar="KEY", help="Idempotency-Key: the same under the same key is done once."),
]


@dataclass(frozen=True)
class Answer:
    """What a command says: a value for programs, text for people, and how it ended."""

    value: Any
    text: str
    exit: Exit = Exit.DONE
    aside: str = ""
    """For people, on standard error: what is not to be in a file that standard output goes to."""


@dataclass
class Here:
    """What a command works with: how it is to speak, and the client of its profile."""

    as_json: bool = False
    profile: str | None = None
    key: str | None = None
    """Under which a deed is done once, however often it is typed; None: it is done anew each time."""
    server: str = ""
    """The URL that is spoken to, as soon as there is a client."""
    origin: str = ""
    """What names server and token: a profile, or the environment."""
    token: str = ""
    """The public part of the token."""
    _client: Client | None = None

    @property
    def client(self) -> Client:
        """The client of the profile; raises InvalidInput where none is meant."""
        if self._client is None:
            self._client = self.connect()
        return self._client

    def connect(self, *, tries: int = TRIES) -> Client:
        """Return a client of the profile that asks each thing so often; raises InvalidInput where no profile is meant."""
        found = profiles.chosen(self.profile, os.environ)
        self.server, self.token = found.url, found.prefix
        self.origin = profiles.origin(self.profile, os.environ)
        return Client(found.url, found.token, ca_bundle=found.ca_bundle, tries=tries, lost=away)

    def say(self, value: Any, text: str) -> None:
        """Print one of several answers: a line of JSON, or text."""
        put(json.dumps(value, ensure_ascii=True) if self.as_json else text)

    @property
    def interactive(self) -> bool:
        """Whether somebody can be asked."""
        return not self.as_json and sys.stdin.isatty() and sys.stdout.isatty()


Act = Callable[..., Answer | Exit]


def verb(app: typer.Typer, name: str) -> Callable[[Act], Act]:
    """Register a command: `act` takes a `Here` and its own parameters. Its docstring is its help."""
    return _command(app, name, {})


def deed(app: typer.Typer, name: str) -> Callable[[Act], Act]:
    """As `verb`, of something that is done at the server: `act` does it under the key of its `Here` (`--key`)."""
    return _command(app, name, {"key": (Key, None)})


def _command(app: typer.Typer, name: str, more: dict[str, tuple[Any, Any]]) -> Callable[[Act], Act]:
    def wrap(act: Act) -> Act:
        hints = get_type_hints(act, include_extras=True)
        own = list(inspect.signature(act).parameters.values())[1:]
        added = {**more, "as_json": (AsJson, False), "profile": (Named, None)}
        parameters = [
            each.replace(kind=inspect.Parameter.KEYWORD_ONLY, annotation=hints[each.name]) for each in own
        ] + [
            inspect.Parameter(name, inspect.Parameter.KEYWORD_ONLY, default=default, annotation=hint)
            for name, (hint, default) in added.items()
        ]
        parameters.append(
            inspect.Parameter("context", inspect.Parameter.KEYWORD_ONLY, annotation=typer.Context)
        )

        def run(**given: Any) -> None:
            before: dict[str, Any] = given.pop("context").find_root().obj or {}
            # What is said behind the command is the last word.
            common: dict[str, Any] = {each: given.pop(each) or before.get(each) for each in added}
            here = Here(**common)
            raise typer.Exit(int(carry_out(act, here, given)))

        run.__name__ = act.__name__
        run.__doc__ = act.__doc__
        run.__signature__ = inspect.Signature(parameters)  # type: ignore[attr-defined]
        run.__annotations__ = {each.name: each.annotation for each in parameters}
        app.command(name)(run)
        return act

    return wrap


def carry_out(act: Act, here: Here, given: dict[str, Any]) -> Exit:
    """Do it, say what came of it, and return the exit status: the same whether or not anybody reads that."""
    try:
        answer = act(here, **given)
    except ClientError as error:
        _tell(
            document(problem_of(error)) if here.as_json else "",
            "\n".join(filter(None, (explained(error), _whose(error, here)))),
        )
        return exit_of(error)
    except KeyboardInterrupt:
        _tell("", "interrupted")
        return Exit.INTERRUPTED
    except BrokenPipeError:
        _nobody_reads()
        return Exit.DONE
    if isinstance(answer, Answer):
        _tell(document(answer.value) if here.as_json else answer.text, "" if here.as_json else answer.aside)
        return answer.exit
    return answer


def _tell(text: str, beside: str) -> None:
    try:
        if text:
            put(text)
        aside(beside)
    except BrokenPipeError:
        _nobody_reads()


def _nobody_reads() -> None:
    """Have what Python still holds back for a pipe that nobody reads go nowhere, or it complains at its end."""
    for stream in (sys.stdout, sys.stderr):
        try:
            stream.flush()
        except BrokenPipeError:
            os.dup2(os.open(os.devnull, os.O_WRONLY), stream.fileno())


def document(value: Any) -> str:
    """Return a value as JSON in ASCII: what a text says cannot steer a terminal."""
    return json.dumps(value, ensure_ascii=True, indent=2).replace("\x7f", "\\u007f")


def problem_of(error: ClientError) -> dict[str, Any]:
    """Return an error as problem details: the server's own, or of the same form with `status` null."""
    if isinstance(error, Problem):
        return {"status": error.status, "code": error.code, "detail": error.detail, **error.body}
    listed = (
        [{"pointer": f"#/{error.field}", "reason": error.reason}] if isinstance(error, InvalidInput) else []
    )
    return {"status": None, "code": error.code, "detail": str(error), "errors": listed}


def explained(error: ClientError) -> str:
    """Return an error in words: what happened, then each field with its reason."""
    if not isinstance(error, Problem):
        return f"error: {one_line(error)}"
    rows = [f"{one_line(each.field) or 'body'}: {one_line(each.reason)}" for each in error.errors]
    known = f"({error.status} {one_line(error.code)})"
    if len(rows) == 1:
        return f"error: {rows[0]} {known}"
    # Of several fields the detail says only that there are some.
    return "\n  ".join([f"error: {one_line(error.detail)} {known}", *rows])


def _whose(error: ClientError, here: Here) -> str:
    """Of a token that the server does not take: which one it is, without its secret, and who can look."""
    if not (isinstance(error, Problem) and error.status == 401):
        return ""
    token = here.token or "one without the form exp_PREFIX_SECRET"
    return (
        f"  token {token} of {here.origin}, at {here.server}\n"
        "  whether it has ended says `expedite token list` with another token of the\n"
        "  same person or an administrator's, or `manage.py token --list` on the server;\n"
        "  a new one is kept by `expedite profile add`"
    )


def put(text: str) -> None:
    """Print text on standard output, at once: whoever waits reads it now."""
    sys.stdout.write(plain(text).rstrip("\n") + "\n")
    sys.stdout.flush()


def aside(text: str) -> None:
    """Print text on standard error, if there is any."""
    if text:
        sys.stderr.write(plain(text) + "\n")
        sys.stderr.flush()


def away(error: ClientError, pause: float) -> None:
    """Say on standard error that the server is away, and when it is asked again."""
    aside(f"{one_line(error)}: asked again in {math.ceil(pause)} s")
