"""How often something may be asked for in a minute, where the API's own rates do not reach: counted as failures are (`attempts`),
by all processes together where there is Redis, else by each (`provisioning.shared_cache`).
"""

from __future__ import annotations

import hashlib
from datetime import datetime
from typing import Final

from django.core.cache import cache

WINDOW_SECONDS: Final = 60


def seconds_to_wait(kind: str, who: str, *, most: int, now: datetime) -> int:
    """Count one time that ``who`` asks, and return in how many seconds they may ask again; 0 where they may now.

    Minutes are those of the clock: what is asked at the end of one and the beginning of the next is up to twice ``most``.
    """
    minute, into = divmod(int(now.timestamp()), WINDOW_SECONDS)
    digest = hashlib.sha256(who.encode("utf-8", "replace")).hexdigest()
    key = f"rate-{kind}-{minute}-{digest}"
    if cache.add(key, 1, 2 * WINDOW_SECONDS):
        return 0
    try:
        asked = int(cache.incr(key))
    except ValueError:  # forgotten between the two lines
        cache.add(key, 1, 2 * WINDOW_SECONDS)
        return 0
    return WINDOW_SECONDS - into if asked > most else 0
