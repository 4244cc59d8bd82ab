"""The lines of a request before they are due as plain values: the command and the API say the same."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from provisioning.models import ApprovedLines
from provisioning.pipeline.ahead import text_of
from provisioning.selectors.waiting import wait_of
from provisioning.services.ahead.foreseeing import Foreseen


def shown(found: Foreseen, given: Iterable[ApprovedLines]) -> dict[str, Any]:
    """Both sides with what has to be confirmed, and who has approved them; instants in ISO 8601, UTC."""
    return {
        "request": found.request.pk,
        "waits_for": wait.text if (wait := wait_of(found.request)) is not None else None,
        "router": found.router.name,
        "seen_at": None if found.seen_at is None else found.seen_at.isoformat(),
        "fingerprint": found.fingerprint,
        "sides": [
            {
                "puts_on": side.puts_on,
                "at": None if side.at is None else side.at.isoformat(),
                "beside": list(side.beside),
                "together": list(side.together),
                "why_not": side.why_not,
                "commands": text_of(side.lines).splitlines(),
                "rollback": text_of(side.lines, "back").splitlines(),
                "gaps": list(side.gaps),
                "alternatives": [each.to_json() for plan in side.plans for each in plan.alternatives],
                "doubts": list(side.doubts),
                "effect": side.effect.to_json(),
            }
            for side in found.sides
        ],
        "approved": [
            {
                "puts_on": row.puts_on,
                "by": row.user.get_username(),
                "at": row.at.isoformat(),
                "gaps_confirmed": row.gaps_confirmed,
                "override": row.override_reason,
            }
            for row in given
        ],
    }
