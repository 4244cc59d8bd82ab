"""How a push ended and what is to be done, for a terminal."""

from __future__ import annotations

from provisioning.models import RouterPush
from provisioning.pipeline.change import DEEDS
from provisioning.selectors.ends import end_of_push


def next_step(push: RouterPush) -> list[str]:
    """What the end of a push means, what is to be done, and the command that does it; nothing where nothing is."""
    end = end_of_push(push)
    if end is None or end.verb is None:
        return []
    lines = [f"  {push.router.name}: {end.means}", f"    {end.do}"]
    if end.meanwhile:
        lines.append(f"    Meanwhile: {end.meanwhile}")
    why = " --reason WHY" if DEEDS[end.verb].reason else ""
    door = f"manage.py next_step {push.change_id} --router {push.router.name} --do {end.verb} --as USER{why}"
    also = f" (or --do {', '.join(end.also)})" if end.also else ""
    return [*lines, f"    Next: {door}{also}"]
