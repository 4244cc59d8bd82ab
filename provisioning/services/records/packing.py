"""Texts as they are kept: canonical JSON, its SHA-256, and the same compressed."""

from __future__ import annotations

import hashlib
import json
import zlib
from typing import Any

from provisioning.errors import InvalidInput

LARGEST_TEXT = 64 * 1024 * 1024
"""What a kept text may be at most when it is unpacked, bytes."""


def text_of(data: Any) -> str:
    """The same values always as the same text."""
    return json.dumps(data, sort_keys=True, separators=(",", ":"), ensure_ascii=True)


def digest_of(text: str) -> str:
    """SHA-256 (hex)."""
    return hashlib.sha256(text.encode()).hexdigest()


def packed(text: str) -> bytes:
    """The text compressed."""
    return zlib.compress(text.encode())


def unpacked(content: bytes | memoryview) -> str:
    """The text that `packed` was given; raises InvalidInput for what is none, or would be very large."""
    try:
        unpacking = zlib.decompressobj()
        text = unpacking.decompress(bytes(content), LARGEST_TEXT)
        if unpacking.unconsumed_tail or not unpacking.eof:
            raise InvalidInput("it is not whole", field="content")
        return text.decode()
    except (zlib.error, UnicodeDecodeError) as error:
        raise InvalidInput("it cannot be unpacked", field="content") from error
