"""What the API answered once, as examples of its description: recorded of the tests by `make examples`, not written by hand."""

from __future__ import annotations

import json
from functools import cache
from pathlib import Path
from typing import Any

_KEPT = Path(__file__).with_name("examples.json")


def add_examples(operation: dict[str, Any]) -> None:
    """Give an operation the answer of a good end, and what was sent for it, where that was recorded."""
    example = _recorded().get(operation["operationId"])
    if example is None:
        return
    answer = operation["responses"].get(str(example["status"]), {})
    for content in answer.get("content", {}).values():
        content["examples"] = {"recorded": {"value": example["answer"]}}
    if "sent" in example:
        for content in operation.get("requestBody", {}).get("content", {}).values():
            content["examples"] = {"recorded": {"value": example["sent"]}}


@cache
def _recorded() -> dict[str, Any]:
    found: dict[str, Any] = json.loads(_KEPT.read_text(encoding="utf-8"))
    return found
