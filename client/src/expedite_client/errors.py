"""What can go wrong, each with the field it is about where there is one."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any


class ClientError(Exception):
    """The root: `code` names the kind for programs, the text is for people."""

    code: str = "error"


class InvalidInput(ClientError):
    """What was given cannot be meant; nothing was sent."""

    code = "invalid-input"

    def __init__(self, reason: str, *, field: str = "") -> None:
        super().__init__(f"{field}: {reason}" if field else reason)
        self.field = field
        self.reason = reason


class NoSuch(InvalidInput):
    """Nothing that may be seen has this name; nothing was done."""

    code = "not-found"


class Unreachable(ClientError):
    """The server does not answer, however often it was asked: whether a deed was done is not known."""

    code = "unreachable"


class BadCertificate(Unreachable):
    """The server's certificate is not one to trust; nothing was sent."""

    code = "bad-certificate"


class Redirected(ClientError):
    """The server points elsewhere. Nothing is sent there: the token is for this server."""

    code = "redirected"


class NotUnderstood(ClientError):
    """What answers is not this API."""

    code = "not-understood"


@dataclass(frozen=True, slots=True)
class FieldError:
    """One field that is wrong: where (a JSON pointer into what was sent, `#/rate_bps`, or a query parameter), and why."""

    pointer: str
    reason: str

    @property
    def field(self) -> str:
        """The pointer as people write it: `rate_bps`, `recurrence.rrule`."""
        return ".".join(part for part in self.pointer.lstrip("#").split("/") if part)


class Problem(ClientError):
    """The server refused (problem details, RFC 9457): `status`, `code` (the server's code), `detail`, `errors`.

    `body` is all that was said: a refusal for want of room has its `evidence` there. `retry_after` is after how many seconds it
    is to be asked again, None where nothing was said of that.
    """

    code = "problem"

    def __init__(self, status: int, body: Mapping[str, Any], *, retry_after: float | None = None) -> None:
        self.status = status
        self.retry_after = retry_after
        self.body = dict(body)
        self.code = str(body.get("code") or f"http-{status}")
        self.title = str(body.get("title") or "")
        self.detail = str(body.get("detail") or self.title or f"the server answered {status}")
        self.errors = tuple(_field_errors(body.get("errors")))
        super().__init__(f"{self.detail} ({status} {self.code})")


Lost = Callable[[ClientError, float], None]
"""Is told what was wrong, and after how many seconds it is tried again."""


def may_pass(error: ClientError) -> bool:
    """Whether it may be over soon: a broken connection, a server or a proxy that is too busy or starts anew. A certificate that
    is not to be trusted is not, nor is whatever the server refused.
    """
    if isinstance(error, Problem):
        return error.status >= 500 or error.status == 429
    return isinstance(error, Unreachable | NotUnderstood) and not isinstance(error, BadCertificate)


def _field_errors(listed: object) -> list[FieldError]:
    if not isinstance(listed, list):
        return []
    rows = [row for row in listed if isinstance(row, Mapping)]
    return [
        FieldError(str(row.get("pointer") or row.get("parameter") or ""), str(row.get("reason") or ""))
        for row in rows
    ]
