"""A worker that is killed in the middle of what it does, as `kill -9` does it, and a clock that can be moved on meanwhile."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from datetime import timedelta
from enum import Enum
from typing import Any
from unittest.mock import patch

import pytest
from django.db import connection
from django.db.models.functions import Now
from django.db.transaction import Atomic
from django.utils import timezone

from provisioning.services import clock
from tests.services import in_process

_WRITES = ("INSERT ", "UPDATE ", "DELETE ")
_TAKES_BACK = ("ROLLBACK TO", "RELEASE SAVEPOINT")


class Killed(BaseException):
    """kill -9: nothing after it is done, and no `except Exception` sees it."""


class Deed(Enum):
    """What stays when a worker is killed after it."""

    COMMIT = "the end of a transaction"
    STATEMENT = "a statement that writes outside of one"
    WRITE = "what was typed at a router, or saved there"


class Mortal:
    """A worker that is killed right after its `left`-th deed, of those that are `counted`.

    What it had begun is rolled back, and nothing that it does on the way out (`finally`) reaches a row or a router.
    """

    def __init__(self, left: int, *, counted: frozenset[Deed] = frozenset(Deed)) -> None:
        self.left = left
        self._counted = counted

    @property
    def dead(self) -> bool:
        return self.left <= 0

    @contextmanager
    def at_work(self) -> Iterator[None]:
        """Whatever is done in the body is done by it; raises Killed where it dies."""
        outside, enter, leave = len(connection.atomic_blocks), Atomic.__enter__, Atomic.__exit__

        def entered(atomic: Atomic) -> None:
            self._alive()
            enter(atomic)

        def left(atomic: Atomic, exc_type: Any, *rest: Any) -> None:
            leave(atomic, exc_type, *rest)
            if exc_type is None and len(connection.atomic_blocks) == outside:
                self._did(Deed.COMMIT)

        def execute(act: Any, sql: str, params: Any, many: bool, context: dict[str, Any]) -> Any:
            if not sql.startswith(_TAKES_BACK):
                self._alive()
            answer = act(sql, params, many, context)
            if sql.startswith(_WRITES) and len(connection.atomic_blocks) == outside:
                self._did(Deed.STATEMENT)
            return answer

        def wrote() -> None:
            self._did(Deed.WRITE)

        with (
            patch.object(Atomic, "__enter__", entered),
            patch.object(Atomic, "__exit__", left),
            patch.object(in_process, "wrote", wrote),
            connection.execute_wrapper(execute),
        ):
            yield

    def _alive(self) -> None:
        if self.dead:
            raise Killed

    def _did(self, deed: Deed) -> None:
        if deed not in self._counted:
            return
        self.left -= 1
        self._alive()


class MovedClock:
    """The database's clock, and the process's own for the dates that rows get from it: `ahead` seconds of the real one."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.ahead = 0
        asked, process = dict(clock.ASKED), timezone.now

        class Asked(dict[str, str]):
            def __getitem__(self, vendor: str) -> str:
                return said(vendor)

        def said(vendor: str) -> str:
            return self._said(vendor) if self.ahead else asked[vendor]

        def sqlite(now: Now, compiler: Any, connection: Any, **context: Any) -> Any:
            return now.as_sql(
                compiler, connection, template=self._said("sqlite").replace("%", "%%%%"), **context
            )

        def postgresql(now: Now, compiler: Any, connection: Any, **context: Any) -> Any:
            template = f"(STATEMENT_TIMESTAMP() + interval '{self.ahead} seconds')"
            return now.as_sql(compiler, connection, template=template, **context)

        monkeypatch.setattr(clock, "ASKED", Asked(asked))
        monkeypatch.setattr(Now, "as_sqlite", sqlite)
        monkeypatch.setattr(Now, "as_postgresql", postgresql)
        monkeypatch.setattr(timezone, "now", lambda: process() + timedelta(seconds=self.ahead))

    def _said(self, vendor: str) -> str:
        if vendor == "postgresql":
            return f"clock_timestamp() + interval '{self.ahead} seconds'"
        return f"strftime('%Y-%m-%d %H:%M:%f', 'now', '+{self.ahead} seconds')"
