"""Bodies: JSON of a bounded size and depth, each member named once."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import IO, Any

from django.conf import settings
from rest_framework.exceptions import ParseError
from rest_framework.parsers import BaseParser

from provisioning.api.problems import BodyTooLarge


class BoundedJSONParser(BaseParser):
    """Reads at most DATA_UPLOAD_MAX_MEMORY_SIZE bytes of UTF-8 JSON; a member given twice is refused."""

    media_type = "application/json"
    limit: int | None = None
    """Another limit, bytes; None: the setting's."""

    def parse(
        self,
        stream: IO[Any],
        _media_type: str | None = None,
        _parser_context: Mapping[str, Any] | None = None,
    ) -> Any:
        """Return the value; 413 for too much, 400 for what is not JSON."""
        limit = self.limit or settings.DATA_UPLOAD_MAX_MEMORY_SIZE
        raw = stream.read(limit + 1)
        if len(raw) > limit:
            raise BodyTooLarge(f"The request body is larger than {limit} bytes.")
        try:
            return json.loads(raw.decode("utf-8"), object_pairs_hook=_once, parse_constant=_refuse)
        except RecursionError as error:
            raise ParseError("The body is nested too deeply.") from error
        except ValueError as error:
            raise ParseError(f"The body is not JSON: {error}") from error


def _once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found: dict[str, Any] = {}
    for name, value in pairs:
        if name in found:
            raise ValueError(f"the member {name[:60]!r} is given twice")
        found[name] = value
    return found


def _refuse(constant: str) -> None:
    raise ValueError(f"{constant} is not JSON")
