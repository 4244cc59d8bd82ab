"""What an import did (or, on a dry run, would do), row by row."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, Literal

Outcome = Literal["created", "updated", "unchanged", "absent"]


@dataclass(frozen=True)
class FieldChange:
    """One field of a row: its value before and after, as text; secrets read ``(secret)``."""

    field: str
    before: str
    after: str

    def __str__(self) -> str:
        return f"{self.field} {self.before or 'nothing'} -> {self.after or 'nothing'}"


@dataclass(frozen=True)
class RowReport:
    """One row: what it is, what became of it, and the fields that changed.

    ``absent`` means the database holds the row and the file does not: it is reported and left alone.
    `remarks` say what a person should know, such as reservations that rest on what changed.
    """

    kind: str
    name: str
    outcome: Outcome
    changes: tuple[FieldChange, ...] = ()
    remarks: tuple[str, ...] = ()

    def as_dict(self) -> dict[str, Any]:
        """Return the row for JSON."""
        return {
            "kind": self.kind,
            "name": self.name,
            "outcome": self.outcome,
            "changes": [vars(change) for change in self.changes],
            "remarks": list(self.remarks),
        }


@dataclass(frozen=True)
class ImportReport:
    """The whole import: `rows` in the order of writing."""

    source: str
    domain: str
    dry_run: bool
    rows: tuple[RowReport, ...]

    def having(self, outcome: Outcome) -> tuple[RowReport, ...]:
        """Return the rows with this outcome."""
        return tuple(row for row in self.rows if row.outcome == outcome)

    @property
    def changed(self) -> bool:
        """Return whether any row was, or would be, created or updated."""
        return any(row.outcome in ("created", "updated") for row in self.rows)

    def counts(self) -> dict[str, int]:
        """Return the number of rows per outcome."""
        outcomes: tuple[Outcome, ...] = ("created", "updated", "unchanged", "absent")
        return {outcome: len(self.having(outcome)) for outcome in outcomes}

    def as_dict(self) -> dict[str, Any]:
        """Return the report for JSON; unchanged rows are only counted."""
        told = [row.as_dict() for row in self.rows if row.outcome != "unchanged" or row.remarks]
        return {
            "source": self.source,
            "domain": self.domain,
            "dry_run": self.dry_run,
            "counts": self.counts(),
            "rows": told,
        }

    def lines(self) -> Iterator[str]:
        """Yield the report as lines for a terminal; unchanged rows are only counted."""
        for row in self.rows:
            if row.outcome != "unchanged":
                detail = f": {'; '.join(map(str, row.changes))}" if row.changes else ""
                yield f"{row.outcome:9} {row.kind} {row.name}{detail}"
            for remark in row.remarks:
                yield f"  note    {remark}"
        if self.having("absent"):
            yield "Rows absent from the file were left as they are; an import never deletes."
        counts = ", ".join(f"{number} {outcome}" for outcome, number in self.counts().items())
        yield f"{'Dry run, nothing written: ' if self.dry_run else ''}{self.domain}: {counts}"
