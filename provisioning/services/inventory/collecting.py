"""The collector of garbage, while links are locked."""

from __future__ import annotations

import gc
from collections.abc import Iterator
from contextlib import contextmanager


@contextmanager
def not_collecting() -> Iterator[None]:
    """Let the collector of garbage wait: what an import was worked out from is a million objects, and to look through them takes
    longer than all that is done while the links are locked.
    """
    was = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was:
            gc.enable()
