"""Before and after, side by side: rows made on the server, readable without a script."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher, unified_diff


@dataclass(frozen=True)
class Side:
    """One line on one side: its number (None where there is no line), text and kind: same, gone, new or none."""

    number: int | None
    text: str
    kind: str


@dataclass(frozen=True)
class Comparison:
    """One object before and after."""

    title: str
    rows: tuple[tuple[Side, Side], ...]
    before: tuple[str, ...]
    after: tuple[str, ...]

    @property
    def changed(self) -> bool:
        """Return whether the two sides differ."""
        return self.before != self.after

    @property
    def unified(self) -> tuple[tuple[str, str], ...]:
        """Return (kind, line) of a unified diff of the whole object; kinds are add, del and same."""
        lines = list(unified_diff(self.before, self.after, lineterm="", n=10_000))[3:]
        return tuple(({"+": "add", "-": "del"}.get(line[:1], "same"), line) for line in lines)


_NOTHING = Side(None, "", "none")


def compared(title: str, before: Sequence[str], after: Sequence[str]) -> Comparison:
    """Return the rows of one object; equal lines face each other."""
    rows: list[tuple[Side, Side]] = []
    for tag, a1, a2, b1, b2 in SequenceMatcher(None, before, after, autojunk=False).get_opcodes():
        if tag == "equal":
            pairs = zip(range(a1, a2), range(b1, b2), strict=True)
            rows += [(Side(a + 1, before[a], "same"), Side(b + 1, after[b], "same")) for a, b in pairs]
            continue
        gone = [Side(a + 1, before[a], "gone") for a in range(a1, a2)]
        new = [Side(b + 1, after[b], "new") for b in range(b1, b2)]
        length = max(len(gone), len(new))
        gone += [_NOTHING] * (length - len(gone))
        new += [_NOTHING] * (length - len(new))
        rows += list(zip(gone, new, strict=True))
    return Comparison(title, tuple(rows), tuple(before), tuple(after))
