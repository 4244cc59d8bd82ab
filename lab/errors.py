"""What can go wrong in a practice router, as types: parse errors become IOS texts, faults end a session."""

from __future__ import annotations


class LabError(Exception):
    """Root of the errors of the practice routers."""


class SpecError(LabError):
    """A router description is wrong; ``field`` names where, ``reason`` why."""

    def __init__(self, field: str, reason: str) -> None:
        super().__init__(f"{field}: {reason}")
        self.field = field
        self.reason = reason


class LoadError(LabError):
    """A preloaded configuration line was refused; carries the line and the router's answer."""

    def __init__(self, line: str, reply: str) -> None:
        super().__init__(f"refused {line!r}: {reply.strip()}")
        self.line = line
        self.reply = reply


class ParseError(LabError):
    """A line the parser of this mode does not accept (ios-facts 3.3)."""


class InvalidInput(ParseError):
    """``% Invalid input detected``: ``column`` is the offset in the line where the caret goes."""

    def __init__(self, column: int) -> None:
        super().__init__(f"invalid input at column {column}")
        self.column = column


class IncompleteCommand(ParseError):
    """``% Incomplete command.``"""


class AmbiguousCommand(ParseError):
    """``% Ambiguous command:  "xx"``"""


class Refusal(LabError):
    """The line parses, and the router refuses it; ``text`` is what it prints (often without ``%``, ios-facts 3.3)."""

    def __init__(self, text: str) -> None:
        super().__init__(text)
        self.text = text


class SessionDropped(LabError):
    """The connection is gone; nothing more will be answered."""


class SessionHung(LabError):
    """The router took the line and will never answer it."""
