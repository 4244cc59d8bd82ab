"""How pushes ended and what is to be done, for a terminal."""

from __future__ import annotations

from collections.abc import Sequence

from provisioning.models import Change, RouterPush
from provisioning.pipeline.ends import DEEDS, End, Verb
from provisioning.pipeline.units import first_few, instant_text
from provisioning.selectors.ends import as_it_ended, end_of_change, end_of_push, seen_to
from provisioning.selectors.swaps import bare_interfaces

NAMED = 8
"""So many routers that ended alike are named; the rest are counted."""


def next_steps(change: Change, pushes: Sequence[RouterPush]) -> list[str]:
    """What the ends of these pushes mean, what is to be done, and the command that does it: said once for all that ended alike
    for the same reason, those that nothing depends on last; then what helps the change as a whole. Nothing where nothing does.
    """
    alike: dict[tuple[End, str], list[RouterPush]] = {}
    for push in pushes:
        end = end_of_push(push)
        if end is not None and end.verb is not None:
            alike.setdefault((end, push.error), []).append(push)
    groups = sorted(alike.items(), key=lambda each: each[0][0].verb is Verb.FINISH)
    lines = [line for (end, error), found in groups for line in _group(end, error, found)]
    if (partial := end_of_change(change)) is not None:
        lines += [
            f"  {partial.means} {partial.do}",
            f"    Next: manage.py next_step {change.pk} --do {partial.verb} --as USER --reason WHY",
        ]
    return lines


def seen_to_already(pushes: Sequence[RouterPush]) -> list[str]:
    """The routers on which it ended badly and somebody has seen to it since, a line for all of which the same is true."""
    alike: dict[str, dict[str, None]] = {}
    for push in pushes:
        end = as_it_ended(push)
        if end is not None and end.verb is not None and (done := seen_to(push)):
            alike.setdefault(done, {})[push.router.name] = None
    return [f"  {first_few(list(names), NAMED)}: {done}." for done, names in alike.items()]


def bare(change: Change) -> list[str]:
    """The interfaces that a swap of this change left without a policy, and what is to be done at once; else nothing."""
    rows = list(bare_interfaces().filter(push__change=change))
    lines = [
        f"  {row.router.name} {row.where}: {'NO POLICY' if row.seen else 'perhaps NO POLICY'} since {instant_text(row.since)}. "
        "Whatever enters there keeps its marking."
        for row in rows
    ]
    if lines:
        lines.append(
            "    Make haste: bind a policy on the router, or shut the interface. It is tried again by itself meanwhile."
        )
    return lines


def _group(end: End, error: str, pushes: Sequence[RouterPush]) -> list[str]:
    assert end.verb is not None
    names = list(dict.fromkeys(push.router.name for push in pushes))
    lines = [f"  {first_few(names, NAMED)}: {end.means}"]
    if error:
        lines.append(f"    Why: {error}")
    lines.append(f"    {end.do}")
    if end.meanwhile:
        lines.append(f"    Meanwhile: {end.meanwhile}")
    # Without a router the command does it wherever it is offered: one plan for the rest of a change, else router by router.
    one = f" --router {names[0]}" if len(names) == 1 else ""
    why = " --reason WHY" if DEEDS[end.verb].reason else ""
    also = f" (or --do {', '.join(end.also)})" if end.also else ""
    return [
        *lines,
        f"    Next: manage.py next_step {pushes[0].change_id}{one} --do {end.verb} --as USER{why}{also}",
    ]
