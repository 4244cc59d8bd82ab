"""An import, and how long it holds the link locks: wall seconds from the first lock of a link to COMMIT."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

_FIRST = 'FROM "inventory_accesslink"'
_LOCK = "FOR NO KEY UPDATE"


def wall(deed: Callable[[], object]) -> float:
    """Its wall seconds."""
    began = time.perf_counter()
    deed()
    return time.perf_counter() - began


def import_file(file: Path) -> object:
    """Read and import a network file; the report."""
    from inventory.readers.network_yaml import read_network
    from provisioning.models import SYSTEM
    from provisioning.services.inventory import import_network

    return import_network(actor=SYSTEM, network=read_network(file))


@contextmanager
def link_locks() -> Iterator[list[float]]:
    """Yield a list that has the seconds of each transaction meanwhile that locked links, once it is committed."""
    from django.db import connection

    spent: list[float] = []
    began: list[float] = []

    def watch(execute: Callable[..., Any], sql: str, params: Any, many: bool, context: Any) -> Any:
        if not began and _FIRST in sql and _LOCK in sql:
            began.append(time.perf_counter())
        return execute(sql, params, many, context)

    commit = connection._commit

    def committed() -> None:
        commit()
        if began:
            spent.append(time.perf_counter() - began.pop())

    connection._commit = committed
    try:
        with connection.execute_wrapper(watch):
            yield spent
    finally:
        del connection._commit
