"""The database backend `provisioning.database.sqlite3`: Django's, and before a write the turn among threads and processes."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from ipaddress import ip_network
from typing import Any, Final

from django.db.backends.sqlite3 import base
from django.db.utils import OperationalError

from inventory.fields import to_sortable
from provisioning.database.sqlite3.turn import Turn

_WRITES: Final = re.compile(r"\s*(?:INSERT|UPDATE|DELETE|REPLACE)\b", re.I)


class DatabaseWrapper(base.DatabaseWrapper):
    """A transaction takes the turn when it begins, for all begin IMMEDIATE, and gives it back when it ends; a statement that
    writes outside of one has it as long as it lasts. Who does not get it in time hears what SQLite says then.
    """

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self._turn: Turn | None = None

    def get_new_connection(self, conn_params: dict[str, Any]) -> Any:
        self._turn = Turn(str(conn_params["database"]))
        self._patience = float(conn_params.get("timeout", 5.0))
        connection = super().get_new_connection(conn_params)
        # What the triggers of the prefixes of requests call (migration 0055).
        connection.create_function("sortable_network", 1, _sortable, deterministic=True)
        connection.execute(
            "PRAGMA trusted_schema = ON"
        )  # without it triggers of some builds may call no function
        return connection

    def create_cursor(self, name: str | None = None) -> Any:  # noqa: ARG002 - as Django calls it
        cursor = self.connection.cursor(factory=_Cursor)
        cursor.wrapper = self
        return cursor

    @contextmanager
    def writing(self, query: str) -> Iterator[None]:
        """Have the turn while this statement is carried out, where no transaction has it already."""
        turn = self._turn
        if turn is None or turn.taken or not _WRITES.match(query):
            yield
            return
        self._wait(turn)
        try:
            yield
        finally:
            turn.give()

    def _wait(self, turn: Turn) -> None:
        if not turn.take(self._patience):
            raise OperationalError("database is locked")

    def _start_transaction_under_autocommit(self) -> None:
        if self._turn is not None:
            self._wait(self._turn)
        try:
            super()._start_transaction_under_autocommit()
        except BaseException:
            self._give()
            raise

    def _commit(self) -> None:
        # After a COMMIT that failed the transaction is still open, and with it the turn: the rollback gives it back.
        super()._commit()
        self._give()

    def _rollback(self) -> None:
        try:
            super()._rollback()
        finally:
            self._give()

    def _close(self) -> None:
        try:
            super()._close()
        finally:
            self._give()

    def _give(self) -> None:
        if self._turn is not None:
            self._turn.give()


def _sortable(prefix: str) -> str:
    return to_sortable(ip_network(prefix))


class _Cursor(base.SQLiteCursorWrapper):
    wrapper: DatabaseWrapper

    def execute(self, query: str, params: Sequence[Any] | None = None) -> Any:
        with self.wrapper.writing(query):
            return super().execute(query, params)

    def executemany(self, query: str, param_list: Any) -> Any:
        with self.wrapper.writing(query):
            return super().executemany(query, param_list)
