"""One mapping of a network file, read key by key: each value has a type, and no key is left unread."""

from __future__ import annotations

import ipaddress
from collections.abc import Collection, Iterator
from typing import Any, NoReturn

from inventory.readers.entries import IPNetwork
from inventory.readers.errors import Gather, NetworkFileError

_ABSENT: Any = object()

HIGHEST_RATE_BPS = 10**15
LONGEST_TEXT = 200

_KINDS = {dict: "a mapping", list: "a list", str: "text", bool: "true or false", int: "a whole number"}


def kind_of(value: object) -> str:
    """Return how a reader of the error calls the type of `value`."""
    if value is None:
        return "nothing"
    if isinstance(value, float):
        return "a number with a fraction"
    return _KINDS.get(type(value), type(value).__name__)


def spelled(key: object) -> str:
    """Return a key as it may stand in a path: a short printable word as it is, anything else quoted and
    cut.
    """
    text = str(key)
    return text if text.isprintable() and len(text) <= 60 else repr(text[:60])


class Section:
    """A mapping at `path` of `file`; reading a key takes it out, `close` refuses what nobody read."""

    def __init__(self, file: str, path: str, value: object) -> None:
        self.file = file
        self.path = path
        if not isinstance(value, dict):
            self.fail(f"must be a mapping, not {kind_of(value)}")
        self._left = dict(value)

    def at(self, key: str) -> str:
        """Return the path of `key` in this section."""
        return f"{self.path}.{key}" if self.path else key

    def fail(self, reason: str, key: str = "") -> NoReturn:
        """Raise NetworkFileError about this section, or about one key of it."""
        raise NetworkFileError(self.file, self.at(key) if key else self.path, reason)

    def has(self, key: str) -> bool:
        """Return whether `key` is given and not yet read."""
        return key in self._left

    def given(self) -> list[Any]:
        """Return the keys given and not yet read, in the order of the file."""
        return list(self._left)

    def close(self) -> None:
        """Raise NetworkFileError for every key that was given and that nobody read."""
        gather = Gather()
        for key in self._left:
            gather(self.fail, "is not a known key here", spelled(key))
        gather.end()

    def take(self, key: str, default: Any = _ABSENT) -> Any:
        """Return the raw value of `key`, or `default`; without one the key must be given."""
        if key in self._left:
            return self._left.pop(key)
        if default is _ABSENT:
            self.fail("is missing", key)
        return default

    def text(self, key: str, default: Any = _ABSENT, *, longest: int = LONGEST_TEXT) -> str:
        """Return printable text of one line without ``!`` or ``?``: no line to a router survives those."""
        value = self.take(key, default)
        if value is default and default is not _ABSENT:
            return str(value)
        if not isinstance(value, str):
            self.fail(f"must be text, not {kind_of(value)}", key)
        if not value or value != value.strip():
            self.fail("must not be empty or begin or end with a blank", key)
        if len(value) > longest:
            self.fail(f"is longer than {longest} characters", key)
        if not value.isprintable():
            self.fail("must be one line without control characters", key)
        if "!" in value or "?" in value:
            self.fail("must not contain ! or ?", key)
        return value

    def secret(self, key: str) -> str:
        """Return a password, "" when not given; errors never quote it."""
        value = self.take(key, "")
        if not isinstance(value, str):
            self.fail(f"must be text in quotes, not {kind_of(value)}", key)
        if len(value) > LONGEST_TEXT or not (value.isprintable() or value == ""):
            self.fail(
                f"must be one line of at most {LONGEST_TEXT} characters without control characters", key
            )
        return value

    def choice(self, key: str, allowed: Collection[str], default: Any = _ABSENT) -> str:
        """Return one of `allowed`."""
        value = self.take(key, default)
        if not isinstance(value, str) or value not in allowed:
            given = repr(value) if isinstance(value, str) else kind_of(value)
            self.fail(f"must be one of {', '.join(sorted(allowed))}, not {given}", key)
        return value

    def integer(self, key: str, default: Any = _ABSENT, *, lowest: int, highest: int) -> int:
        """Return a whole number in ``[lowest, highest]``."""
        value = self.take(key, default)
        if isinstance(value, bool) or not isinstance(value, int):
            self.fail(f"must be a whole number, not {kind_of(value)}", key)
        if not lowest <= value <= highest:
            self.fail(f"must lie between {lowest} and {highest}, not {value}", key)
        return value

    def rate(self, key: str, default: Any = _ABSENT) -> int:
        """Return a rate in bit/s: a whole number above zero."""
        value = self.take(key, default)
        if isinstance(value, bool) or not isinstance(value, int):
            self.fail(f"must be a whole number of bit/s, not {kind_of(value)}", key)
        if not 0 < value <= HIGHEST_RATE_BPS:
            self.fail(f"must be a rate between 1 and {HIGHEST_RATE_BPS} bit/s, not {value}", key)
        return value

    def flag(self, key: str, default: Any = _ABSENT) -> bool:
        """Return true or false."""
        value = self.take(key, default)
        if not isinstance(value, bool):
            self.fail(f"must be true or false, not {kind_of(value)}", key)
        return value

    def network(self, key: str, default: Any = _ABSENT) -> Any:
        """Return an IP network (host bits must be zero), or `default`."""
        value = self.take(key, default)
        return default if value is default else parse_network(self.file, self.at(key), value)

    def items(self, key: str, default: Any = _ABSENT) -> list[Any]:
        """Return a list."""
        value = self.take(key, default)
        if not isinstance(value, list):
            self.fail(f"must be a list, not {kind_of(value)}", key)
        return value

    def sections(self, key: str, default: Any = _ABSENT) -> Iterator[Section]:
        """Yield one section for each mapping of the list at `key`."""
        for index, value in enumerate(self.items(key, default)):
            yield Section(self.file, f"{self.at(key)}[{index}]", value)


def parse_network(file: str, path: str, value: object) -> IPNetwork:
    """Return `value` as an IP network.

    Raises:
        NetworkFileError: it is not ``address/length`` text, or has host bits set.
    """
    if not isinstance(value, str):
        raise NetworkFileError(file, path, f"must be an IP network as text, not {kind_of(value)}")
    if "/" not in value:
        raise NetworkFileError(file, path, f"must give a prefix length, as in 2001:db8::/32, not {value!r}")
    try:
        return ipaddress.ip_network(value)
    except ValueError as error:
        raise NetworkFileError(file, path, f"is not an IP network: {error}") from error
