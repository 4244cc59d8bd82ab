"""What a report of schemathesis amounts to: which answers there were, and which of its findings stand.

All its checks are made. Some of them ask for more than a description can say, and there a finding does not stand

- where what is well formed and cannot be meant (a link that nobody knows, a cursor of another list) is refused, 400 or 422, and
  `errors` names what is wrong; where If-Match does not hold (412), or an Idempotency-Key was used before with another body (422):
  `positive_data_acceptance`;
- where it is refused before anybody reads what it asks, for the length of the address (414) or because If-Match does not hold
  (412): `negative_data_rejection`;
- where who has failed ten times is not even looked at (429): `ignored_auth`;
- where an answer takes as long as it was asked to wait, and a few seconds: `max_response_time`.
"""

from __future__ import annotations

import base64
import json
import re
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

_NAMED = frozenset({400, 422})
_BEFORE = frozenset({412, 414})
_ASKED_TO_WAIT = re.compile(r"/events/\?(?:.*&)?wait=(\d+)\b")
_TOOK = re.compile(r"Actual: ([\d.]+)ms")
_BEYOND_SECONDS = 5


@dataclass(frozen=True)
class Finding:
    """What one check found about one answer."""

    operation: str
    check: str
    status: int
    said: str
    request: str

    @property
    def kind(self) -> tuple[str, str, int]:
        return self.operation, self.check, self.status


def answers(report: Path) -> Counter[int]:
    """How many answers had which status; 0 where there was none."""
    return Counter(
        int((told.get("response") or {}).get("status_code") or 0)
        for recorder in _recorders(report)
        for told in recorder.get("interactions", {}).values()
    )


def findings(report: Path) -> Iterator[Finding]:
    """Those that stand, and what was asked and never answered."""
    for event in _events(report):
        if "value" in event and event.get("label"):  # an error that ended no run
            yield Finding(str(event["label"]), "no answer", 0, json.dumps(event["value"])[:600], "")
    for recorder in _recorders(report):
        for case, checks in recorder.get("checks", {}).items():
            for check in checks:
                if check.get("status") != "failure":
                    continue
                told = recorder.get("interactions", {}).get(case) or {}
                asked, answer = told.get("request") or {}, told.get("response") or {}
                status = int(answer.get("status_code") or 0)
                failure = (check.get("failure_info") or {}).get("failure") or {}
                if excused(check["name"], status, _text(answer.get("content"))):
                    continue
                if check["name"] == "max_response_time" and waited(
                    str(asked.get("uri")), str(failure.get("message"))
                ):
                    continue
                yield Finding(
                    operation=str(recorder.get("label")),
                    check=str(check["name"]),
                    status=status,
                    said=str(failure.get("message"))[:600],
                    request=f"{asked.get('method')} {asked.get('uri')} {_text(asked.get('body'))}"[:1500],
                )


def excused(check: str, status: int, body: str) -> bool:
    """Whether the check asks for more there than a description can say."""
    if check == "ignored_auth":
        return status == 429
    if check == "negative_data_rejection":
        return status in _BEFORE
    if check != "positive_data_acceptance":
        return False
    if status == 412:
        return True
    try:
        problem = json.loads(body)
    except ValueError:
        return False
    if not isinstance(problem, dict):
        return False
    if problem.get("code") == "idempotency-key-reused":
        return True
    listed = problem.get("errors")
    return status in _NAMED and bool(listed) and all("pointer" in one or "parameter" in one for one in listed)


def waited(address: str, said: str) -> bool:
    """Whether an answer came late because it was asked to wait, and no later than that; `said` is the words of the check."""
    asked, took = _ASKED_TO_WAIT.search(address), _TOOK.search(said)
    return bool(asked and took and float(took[1]) / 1000 <= int(asked[1]) + _BEYOND_SECONDS)


def _recorders(report: Path) -> Iterator[dict[str, Any]]:
    for event in _events(report):
        if isinstance(event.get("recorder"), dict):
            yield event["recorder"]


def _events(report: Path) -> Iterator[dict[str, Any]]:
    if not report.exists():
        return
    with report.open(encoding="utf-8") as lines:
        for line in lines:
            yield from (event for event in json.loads(line).values() if isinstance(event, dict))


def _text(kept: Any) -> str:
    if isinstance(kept, dict) and "$base64" in kept:
        return base64.b64decode(kept["$base64"]).decode("utf-8", "replace")
    return "" if kept is None else str(kept)
