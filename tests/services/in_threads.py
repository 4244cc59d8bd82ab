"""Deeds that are begun at the same instant, each on a database connection of its own."""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from threading import Barrier
from typing import TypeVar

from django.db import connection, connections

Answer = TypeVar("Answer")


def at_once(*deeds: Callable[[], Answer]) -> list[Answer | Exception]:
    """Start every deed at the same instant, in a thread and on a connection of its own; what each said, or raised."""
    barrier = Barrier(len(deeds))

    def one(deed: Callable[[], Answer]) -> Answer | Exception:
        try:
            connection.ensure_connection()
            barrier.wait(timeout=120)
            return deed()
        except Exception as error:  # noqa: BLE001 - what a deed raised is what the test looks at
            return error
        finally:
            connections.close_all()

    with ThreadPoolExecutor(len(deeds)) as pool:
        return list(pool.map(one, deeds))
