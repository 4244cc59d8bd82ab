"""An observer of what is locked: every statement of every connection, held against the order that is written down."""

from __future__ import annotations

import re
import weakref
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

from django.apps import apps
from django.db import connections
from django.db.backends.base.base import BaseDatabaseWrapper
from django.db.backends.signals import connection_created

from provisioning.services.locking import ORDER

RANK = {apps.get_model(name)._meta.db_table: rank for rank, group in enumerate(ORDER) for name in group}
_SELECT = re.compile(r'FROM "(\w+)".* FOR (NO KEY )?UPDATE\b', re.DOTALL)
_WRITE = re.compile(r'(UPDATE|DELETE FROM|INSERT INTO) "(\w+)"')


class Observer:
    """What each connection has locked in its transaction, and every lock that was taken against the order."""

    def __init__(self) -> None:
        self.faults: list[str] = []
        self.seen = 0
        self._held: dict[int, tuple[object, list[str], set[str]]] = {}
        self._watched: weakref.WeakSet[BaseDatabaseWrapper] = weakref.WeakSet()

    def watch(self, connection: BaseDatabaseWrapper) -> None:
        if connection not in self._watched:
            self._watched.add(connection)
            connection.execute_wrappers.append(self)

    def unwatch(self) -> None:
        for connection in list(self._watched):
            if self in connection.execute_wrappers:
                connection.execute_wrappers.remove(self)

    def __call__(
        self, execute: Callable[..., Any], sql: str, params: Any, many: bool, context: dict[str, Any]
    ) -> Any:
        self._note(context["connection"], sql)
        return execute(sql, params, many, context)

    def _note(self, connection: BaseDatabaseWrapper, sql: str) -> None:
        if connection.vendor != "postgresql":
            return  # SQLite locks everything when a transaction begins: there is one lock, and no order
        ours = [block for block in connection.atomic_blocks if not block._from_testcase]
        if not ours:
            return  # a statement by itself is a transaction by itself: it holds nothing while it waits
        if found := _SELECT.search(sql):
            table, verb = found[1], "SELECT"
            if not found[2]:
                self.faults.append(f"FOR UPDATE keeps foreign keys waiting: {sql[:200]}")
        elif found := _WRITE.match(sql):
            verb, table = found[1], found[2]
        else:
            return
        block, held, made = self._held.get(id(connection), (None, [], set()))
        if block is not ours[0]:
            held, made = [], set()
            self._held[id(connection)] = (ours[0], held, made)
        # A new row is nobody else's to wait for; and what is held already is not waited for.
        if verb == "INSERT INTO":
            made.add(table)
        elif table not in held and table not in made:
            self._judge(table, held, sql)
            held.append(table)

    def _judge(self, table: str, held: list[str], sql: str) -> None:
        self.seen += 1
        if table not in RANK:
            self.faults.append(f"{table} has no place in the order: {sql[:200]}")
            return
        later = [each for each in held if RANK.get(each, -1) > RANK[table]]
        if later:
            self.faults.append(f"{table} is locked after {', '.join(dict.fromkeys(later))}: {sql[:200]}")


@contextmanager
def observed() -> Iterator[Observer]:
    """Watch every connection there is and every one that is opened meanwhile."""
    observer = Observer()

    def opened(connection: BaseDatabaseWrapper, **_more: Any) -> None:
        observer.watch(connection)

    connection_created.connect(opened)
    try:
        for connection in connections.all(initialized_only=True):
            observer.watch(connection)
        yield observer
    finally:
        connection_created.disconnect(opened)
        observer.unwatch()
