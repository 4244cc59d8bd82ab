"""What comes of an edit of the network, and of an import."""

from __future__ import annotations

from typing import TypedDict

from expedite_client.values.links import Renewal


class FieldChange(TypedDict):
    """One field before and after, as people read it."""

    field: str
    before: str
    after: str


class Rewritten(TypedDict):
    """What came of an edit, or would: the fields, the topology (null where no path or share is another one), and the routers that
    are to hold something else.
    """

    dry_run: bool
    changes: list[FieldChange]
    renewal: Renewal | None
    routers: list[str]


class ImportedRow(TypedDict):
    """One row: created, updated, or unchanged with something to know."""

    kind: str
    name: str
    outcome: str
    changes: list[FieldChange]
    remarks: list[str]


class Imported(TypedDict):
    """What an import wrote, or would write. At most 500 rows are listed."""

    domain: str
    dry_run: bool
    created: int
    updated: int
    unchanged: int
    absent: int
    rows_in_all: int
    rows: list[ImportedRow]
