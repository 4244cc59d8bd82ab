"""`make examples`: what the API answered to the tests, kept as the examples of its description (provisioning/api/examples.json).

Loaded as a plugin of pytest. Of each operation the answer of a good end is kept that says most without being long, with what was
sent for it. Lists are cut short, and what is secret is replaced.
"""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any, Final

import pytest
from rest_framework.request import Request

KEPT: Final = Path(__file__).resolve().parents[2] / "provisioning" / "api" / "examples.json"
LONGEST: Final = 6_000
"""Characters of an answer that is a good example; a longer one only where there is no other."""
MOST_ROWS: Final = 2
SECRET: Final = re.compile(r"exp_[0-9a-f]{12}_\S+")

_found: dict[str, dict[str, Any]] = {}


def pytest_configure(config: pytest.Config) -> None:
    """Listen to every answer of the API."""
    from provisioning.api.v1.base import ApiView

    answered = ApiView.finalize_response

    def listen(view: Any, request: Request, response: Any, *args: Any, **kwargs: Any) -> Any:
        finished = answered(view, request, response, *args, **kwargs)
        if finished.status_code in (200, 201) and getattr(finished, "data", None) is not None:
            finished.add_post_render_callback(lambda done: _keep(view, request, done))
        return finished

    ApiView.finalize_response = listen  # type: ignore[method-assign]


def pytest_sessionfinish(session: pytest.Session) -> None:
    """Write down what was found, in the order of the operations."""
    KEPT.write_text(
        json.dumps(dict(sorted(_found.items())), indent=1, ensure_ascii=False) + "\n", encoding="utf-8"
    )


def _keep(view: Any, request: Request, answer: Any) -> None:
    if answer.status_code not in (200, 201):
        return
    deed = (
        f"set_{view.action}" if request.method == "POST" and view.action.startswith("quota") else view.action
    )
    operation = f"{request.path.split('/')[3]}_{deed}".replace("-", "_")
    example: dict[str, Any] = {"status": answer.status_code, "answer": _short(json.loads(answer.content))}
    if request.method in ("POST", "PATCH"):
        example["sent"] = _short(request.data)
    best = _found.get(operation)
    if best is None or _rank(example) > _rank(best):
        _found[operation] = example


def _rank(example: dict[str, Any]) -> tuple[bool, int]:
    length = len(json.dumps(example))
    return (length <= LONGEST, length if length <= LONGEST else -length)


def _short(value: Any, name: str = "") -> Any:
    if isinstance(value, dict):
        return {key: _short(inner, key) for key, inner in value.items()}
    if isinstance(value, list):
        return [_short(inner) for inner in value[:MOST_ROWS]]
    if isinstance(value, str) and SECRET.fullmatch(value):
        return "exp_0123456789ab_shown-once"
    if isinstance(value, str) and name in ("next", "previous"):
        return value.replace("http://testserver", "https://expedite.example")
    return value
