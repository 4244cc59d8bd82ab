"""The one root of everything Expedite raises on purpose.

An exception is for what a caller did not anticipate or may not do; a *refusal* of admission is a value and never
raised (see ``pipeline.admission.Refused``). Interfaces translate these once, at the boundary: the API into RFC 9457
problem details, the pages into a message, the commands into one line on stderr.
"""

from __future__ import annotations

from typing import Any, ClassVar


class ExpediteError(Exception):
    """Root of the typed errors: a reason a person can act on, and the field it concerns if there is one."""

    code: ClassVar[str] = "error"
    status: ClassVar[int] = 500

    def __init__(self, reason: str, *, field: str | None = None, **details: Any) -> None:
        super().__init__(reason)
        self.reason = reason
        self.field = field
        self.details = details

    def __str__(self) -> str:
        return f"{self.field}: {self.reason}" if self.field else self.reason


class InvalidInput(ExpediteError):
    """What was sent cannot be meant; ``field`` names the part, ``reason`` says why."""

    code = "invalid-input"
    status = 400


class OffGrid(InvalidInput):
    """A rate that lies between the steps in which an NREN asks for rates."""

    code = "rate-off-grid"
    status = 422


class InvalidFields(InvalidInput):
    """Several fields are wrong at once; ``errors`` holds one ``InvalidInput`` for each."""

    code = "invalid-fields"

    def __init__(self, errors: list[InvalidInput]) -> None:
        if not errors:
            raise ValueError("InvalidFields needs at least one error")
        super().__init__("; ".join(str(error) for error in errors), field=errors[0].field)
        self.errors = errors

    def __str__(self) -> str:
        return self.reason


class Busy(ExpediteError):
    """Too many at once, or a database that is locked or restarts: `retry_after` is when to try again, in seconds."""

    code = "busy"
    status = 503

    def __init__(self, reason: str, *, retry_after: int) -> None:
        super().__init__(reason, retry_after=retry_after)
        self.retry_after = retry_after


class ParseFailure(InvalidInput):
    """Text that is not what it claims to be; ``line`` is the 1-based line number, 0 when it concerns the whole; ``column``
    the 1-based column of the word that is wrong, 0 when it concerns the whole line.
    """

    code = "parse-failure"

    def __init__(self, reason: str, *, line: int = 0, column: int = 0, **details: Any) -> None:
        super().__init__(reason, **details)
        self.line = line
        self.column = column

    def __str__(self) -> str:
        return f"line {self.line}: {self.reason}" if self.line else self.reason


class NotPermitted(ExpediteError):
    """The actor is known, sees the object, and may not do this to it."""

    code = "not-permitted"
    status = 403


class NotVisible(ExpediteError):
    """No such object for this actor; deliberately the same for "absent" and "somebody else's"."""

    code = "not-found"
    status = 404


class Conflict(ExpediteError):
    """The object is no longer (or not yet) in a state that allows this."""

    code = "conflict"
    status = 409


class StaleState(Conflict):
    """What was approved no longer matches what is there: plan again."""

    code = "stale"


class NotAsRead(StaleState):
    """What somebody read and answers is not so any more: nothing is done, and it is read again."""


class TermsChanged(NotAsRead):
    """Whoever asked has changed what is asked for since it was read."""


class QuotaChanged(StaleState):
    """Somebody else set a quota since it was read: `standing` is what it is (rate_bps, open_requests, holds)."""


class QuotaExceeded(Conflict):
    """An NREN has, or would have, more than its quota: `quota` names it, with what is `allowed`, `used` and `asked`."""

    code = "quota-exceeded"

    def __init__(self, reason: str, *, quota: str, allowed: int, used: int, asked: int) -> None:
        super().__init__(reason, quota=quota, allowed=allowed, used=used, asked=asked)


class ChangedSince(ExpediteError):
    """The object is not as the caller read it any more, and only then was the deed to be done."""

    code = "changed-since"
    status = 412


class NotYetRead(ExpediteError):
    """Something is to be written over, and whoever does it does not say what they read."""

    code = "precondition-required"
    status = 428


class PushDisabled(Conflict):
    """PUSH_ENABLED is off: nothing is sent to any router."""

    code = "push-disabled"


class LeaseLost(ExpediteError):
    """Another worker holds what this one believed to hold; nothing more may be written."""

    code = "lease-lost"
    status = 409


class DeviceError(ExpediteError):
    """A router could not be read or written as expected."""

    code = "device-error"
    status = 502


class Unreachable(DeviceError):
    """No TCP or SSH session could be opened (includes a refused vty)."""

    code = "unreachable"


class AuthenticationRefused(DeviceError):
    """The router refused the user name, the password or the enable secret."""

    code = "authentication-refused"


class HostKeyChanged(DeviceError):
    """The router (or somebody else) presented a host key that is not the pinned one; nothing was sent."""

    code = "host-key-changed"


class WrongRouter(DeviceError):
    """Who answers is not the router of the inventory, or runs what lines are made otherwise for; nothing was sent.

    ``said`` is what it says of itself: serial, platform, ios.
    """

    code = "wrong-router"

    def __init__(self, reason: str, *, said: dict[str, str], **details: Any) -> None:
        super().__init__(reason, **details)
        self.said = said


class LineRefused(DeviceError):
    """The router answered a configuration line with something other than silence or a known notice."""

    code = "line-refused"

    def __init__(self, reason: str, *, sent: str = "", reply: str = "", **details: Any) -> None:
        super().__init__(reason, **details)
        self.sent = sent
        self.reply = reply


class ConfigurationLocked(LineRefused):
    """Somebody else holds configuration mode exclusively; nothing was sent."""

    code = "configuration-locked"


class SessionLost(DeviceError):
    """The session died; ``certain`` lines were answered, ``possible`` ones may have been executed."""

    code = "session-lost"

    def __init__(
        self, reason: str, *, certain: tuple[str, ...] = (), possible: tuple[str, ...] = (), **details: Any
    ) -> None:
        super().__init__(reason, **details)
        self.certain = certain
        self.possible = possible


class SaveRefused(DeviceError):
    """``write memory`` did not end in ``[OK]``; running-config and startup-config may differ."""

    code = "save-refused"
