"""What an authenticator app does (RFC 6238), written here once more and not taken from the library that is tested."""

from __future__ import annotations

import base64
import hashlib
import hmac
import struct
import time


def code_of(secret: str, *, at: float | None = None) -> str:
    """Return the six digits that an app shows for this secret at a moment."""
    counter = int((time.time() if at is None else at) // 30)
    digest = hmac.digest(base64.b32decode(secret), struct.pack(">Q", counter), hashlib.sha1)
    start = digest[-1] & 15
    number = int.from_bytes(digest[start : start + 4]) & 0x7FFFFFFF
    return f"{number % 10**6:06d}"
