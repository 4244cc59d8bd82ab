"""Strict reading of plain data: every value knows its path, every unknown key is refused by name."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from decimal import Decimal, InvalidOperation
from typing import Any

from provisioning.errors import InvalidInput

_IOS_NAME = re.compile(r"[A-Za-z][A-Za-z0-9_.-]{0,39}")


@dataclass(frozen=True)
class Node:
    """A value and where it stands (``policies.TRUSTED-IN.classes[0].police.percent``); readers raise
    InvalidInput.
    """

    value: Any
    path: str = ""

    def fail(self, reason: str) -> InvalidInput:
        """The error for this place, to be raised."""
        return InvalidInput(reason, field=self.path or "scheme")

    def keys(self, *, needed: tuple[str, ...], optional: tuple[str, ...] = ()) -> dict[str, Node]:
        """The mapping's members; refuses a missing, an unknown and a non-text key."""
        members = dict(self.members())
        for key in needed:
            if key not in members:
                raise self.fail(f"{key} is missing")
        for key in members:
            if key not in needed and key not in optional:
                raise members[key].fail("unknown key")
        return members

    def members(self) -> Iterator[tuple[str, Node]]:
        """Each (key, member) of a mapping in its order."""
        if not isinstance(self.value, Mapping):
            raise self.fail("a mapping is needed")
        for key, value in self.value.items():
            if not isinstance(key, str):
                raise self.fail(f"a key must be text: {key!r:.60}")
            yield key, Node(value, f"{self.path}.{key}" if self.path else key)

    def items(self) -> tuple[Node, ...]:
        """The members of a list."""
        if not isinstance(self.value, list | tuple):
            raise self.fail("a list is needed")
        return tuple(Node(value, f"{self.path}[{index}]") for index, value in enumerate(self.value))

    def text(self) -> str:
        """One line of text without control characters, at most 300 characters."""
        if not isinstance(self.value, str) or not self.value.strip() or len(self.value) > 300:
            raise self.fail("text of 1 to 300 characters is needed")
        if not self.value.isprintable():
            raise self.fail("text must be one line without control characters")
        return self.value

    def ios_name(self) -> str:
        """A name that IOS takes for a class, policy or list: at most 40 characters, no blank (ios-facts
        2.1).
        """
        name = self.text()
        if not _IOS_NAME.fullmatch(name):
            raise self.fail(f"not a name that IOS takes: {name!r}")
        return name

    def one_of(self, *words: str) -> str:
        """One of the given words."""
        if self.value not in words or not isinstance(self.value, str):
            raise self.fail(f"one of {', '.join(words)} is needed, not {self.value!r:.60}")
        return self.value

    def flag(self) -> bool:
        """True or false."""
        if not isinstance(self.value, bool):
            raise self.fail(f"true or false is needed, not {self.value!r:.60}")
        return self.value

    def integer(self, low: int, high: int) -> int:
        """A whole number between ``low`` and ``high``."""
        if isinstance(self.value, bool) or not isinstance(self.value, int) or not low <= self.value <= high:
            raise self.fail(f"a whole number between {low} and {high} is needed, not {self.value!r:.60}")
        return self.value

    def percent(self) -> Decimal:
        """A percentage above 0 and at most 100: a whole number, or text such as "2.5" (a float is never
        exact).
        """
        if isinstance(self.value, bool) or not isinstance(self.value, int | str):
            raise self.fail(f"a percentage is a whole number or text such as '2.5', not {self.value!r:.60}")
        try:
            exact = Decimal(self.value)
        except InvalidOperation as error:
            raise self.fail(f"not a percentage: {self.value!r:.60}") from error
        if not exact.is_finite() or not 0 < exact <= 100:
            raise self.fail(f"a percentage lies above 0 and at most at 100: {self.value!r:.60}")
        return exact.normalize() if exact != exact.to_integral() else exact.quantize(Decimal(1))
