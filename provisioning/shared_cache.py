"""What the processes of a site keep together for a while: failed sign-ins, requests by the API's rates, the limits of allauth's
pages, codes of authenticators that were used, and which sessions were written down as seen.

Redis holds it where there is one. While it does not answer each process keeps it by itself, as it does where there is none: an
outage lets a guesser try a little more, and a code be used once in each process, and stops nobody.
"""

from __future__ import annotations

import json
import time
from collections.abc import Callable
from typing import Any, ClassVar, Final

import structlog
from django.core.cache.backends.locmem import LocMemCache
from django.core.cache.backends.redis import RedisCache
from redis.exceptions import RedisError

log = structlog.get_logger(__name__)

AWAY_SECONDS: Final = 5.0
"""For so long Redis is not asked again after it did not answer: nobody waits for it at each request."""


class Json:
    """Values as JSON and counts as digits: Django's own way would unpickle what whoever writes to Redis put there."""

    def __init__(self, **_options: Any) -> None:
        pass

    def dumps(self, value: Any) -> Any:
        """Return a value as it is kept; Redis itself adds to a count."""
        return value if type(value) is int else json.dumps(value).encode()

    def loads(self, kept: bytes) -> Any:
        """Return a value that was kept; None for what is not ours, as if nothing were."""
        try:
            return json.loads(kept)
        except (ValueError, RecursionError):
            return None


class SharedCache(RedisCache):
    """Redis, and while it is away a cache of this process. Values are what JSON can say."""

    _away_until: ClassVar[dict[str, float]] = {}
    """By server, for all threads: each has an instance of its own, and need not find out by itself that Redis is away."""

    def __init__(self, server: str, params: dict[str, Any]) -> None:
        self._server = server
        # A small one could be flooded until it forgets.
        self._own = LocMemCache(f"instead of {server}", {**params, "OPTIONS": {"MAX_ENTRIES": 100_000}})
        super().__init__(server, {**params, "OPTIONS": {"serializer": Json, **params.get("OPTIONS", {})}})

    def add(self, *args: Any, **kwargs: Any) -> bool:
        """As Django's caches do it; so are the others."""
        return bool(self._either(super().add, "add", args, kwargs))

    def get(self, key: str, default: Any = None, version: int | None = None) -> Any:
        found = self._either(super().get, "get", (key, None, version), {})
        return default if found is None else found

    def set(self, *args: Any, **kwargs: Any) -> None:
        self._either(super().set, "set", args, kwargs)

    def touch(self, *args: Any, **kwargs: Any) -> bool:
        return bool(self._either(super().touch, "touch", args, kwargs))

    def delete(self, *args: Any, **kwargs: Any) -> bool:
        return bool(self._either(super().delete, "delete", args, kwargs))

    def has_key(self, *args: Any, **kwargs: Any) -> bool:
        return bool(self._either(super().has_key, "has_key", args, kwargs))

    def incr(self, *args: Any, **kwargs: Any) -> int:
        return int(self._either(self._add_to, "incr", args, kwargs))

    def clear(self) -> None:
        """Forget what was kept here. Django's own way empties the database of Redis, the broker's messages with it."""
        self._own.clear()
        self._either(self._forget, "clear", (), {})

    def _either(self, asked: Callable[..., Any], name: str, args: Any, kwargs: Any) -> Any:
        if time.monotonic() >= self._away_until.get(self._server, 0.0):
            try:
                return asked(*args, **kwargs)
            except (RedisError, OSError) as error:
                self._away_until[self._server] = time.monotonic() + AWAY_SECONDS
                log.warning(
                    "the shared cache does not answer: this process counts by itself",
                    error=type(error).__name__,
                )
        return getattr(self._own, name)(*args, **kwargs)

    def _add_to(self, key: str, delta: int = 1, version: int | None = None) -> int:
        found = int(super().incr(key, delta, version))
        client, name = self._cache.get_client(write=True), self.make_key(key, version=version)
        # One that ran out in between was made anew by Redis, without an end: nobody is shut out for ever.
        if client.ttl(name) < 0:
            client.expire(name, self.default_timeout)
        return found

    def _forget(self) -> None:
        client = self._cache.get_client(write=True)
        for name in client.scan_iter(match=f"{self.key_prefix}:*", count=1000):
            client.delete(name)
