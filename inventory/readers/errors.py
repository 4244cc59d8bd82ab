"""The failures of a reader: which file, where in it, and why; of a whole file all of them."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import Any


class NetworkFileError(ValueError):
    """A network file that cannot be meant.

    `file` is the name as given, `path` the place inside it (``access_links[3].interface``, empty for the
    file as a whole), `line` the line of that place (0: not known), `reason` a sentence for the person who wrote it. No value of a
    secret key ever appears in `reason`.
    """

    def __init__(self, file: str, path: str, reason: str, *, line: int = 0) -> None:
        self.file = file
        self.path = printable(path)
        self.reason = printable(reason)
        self.line = line
        super().__init__(": ".join(part for part in (file, self.path, self.reason) if part))

    @property
    def faults(self) -> tuple[NetworkFileError, ...]:
        """Return everything that is wrong, one fault each."""
        return (self,)

    def spoken(self) -> str:
        """Return where and why without the file's name: ``line 12, routers[1].ios: is missing``."""
        where = ", ".join(part for part in (f"line {self.line}" if self.line else "", self.path) if part)
        return f"{where}: {self.reason}" if where else self.reason


class SeveralFaults(NetworkFileError):
    """A network file with more than one fault: it reads like the first of them and holds all."""

    def __init__(self, faults: Iterable[NetworkFileError]) -> None:
        self._faults = tuple(faults)
        first = self._faults[0]
        super().__init__(first.file, first.path, first.reason, line=first.line)

    @property
    def faults(self) -> tuple[NetworkFileError, ...]:
        """Return them all, in the order in which they were found."""
        return self._faults


class Gather:
    """Reads on after a fault, so that a file is refused with everything that is wrong in it."""

    def __init__(self) -> None:
        self.found: list[NetworkFileError] = []

    def __call__(self, read: Callable[..., Any], *args: Any, **more: Any) -> Any:
        """Return what `read` returns; None where it fails, which is kept for `end`."""
        try:
            return read(*args, **more)
        except NetworkFileError as error:
            self.found.extend(error.faults)
            return None

    def end(self) -> None:
        """Raise what was found: NetworkFileError, SeveralFaults where it is more than one."""
        if len(self.found) == 1:
            raise self.found[0]
        if self.found:
            raise SeveralFaults(self.found)


def with_lines(error: NetworkFileError, lines: Mapping[str, int]) -> NetworkFileError:
    """Return the same faults with the line of each place: its own, or of what it is in."""
    told = []
    for fault in error.faults:
        path = fault.path
        while path and path not in lines:
            path = path[: max(path.rfind("."), path.rfind("["), 0)]
        line = fault.line or lines.get(path, 0)
        told.append(NetworkFileError(fault.file, fault.path, fault.reason, line=line))
    return told[0] if len(told) == 1 else SeveralFaults(told)


def printable(text: str) -> str:
    """`text` for a terminal: what a file's own keys could smuggle into an error message is written out as escapes."""
    return "".join(character if character.isprintable() else ascii(character)[1:-1] for character in text)
