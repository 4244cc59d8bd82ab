"""Whether the end of a push says no more than what its router holds, by the router's own word; and what is shown of all ends."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from provisioning.models import RouterPush
from provisioning.pipeline import ios
from provisioning.pipeline.mqc import PolicyClass, RunningConfig
from tests.pipeline.diff.test_properties import alike
from tests.services.fault_cases import Case

ENDS = ("VERIFIED", "NOT SAVED", "ROLLED_BACK", "STALE", "FAILED", "UNKNOWN")
ROOM = 24
SURE = {"ROLLED_BACK", "STALE", "FAILED"}
PROPERTY = "fault matrix"


@dataclass(frozen=True)
class Held:
    """What a router holds as `held` says it; the names count where nothing may have changed."""

    meets: dict[tuple[str, str, str], list[tuple[object, ...]]]
    names: frozenset[str] = field(compare=False)


@dataclass(frozen=True)
class Ending:
    """How one push ended: its state, whether that is saved, its state after a wait, the seconds without a policy by the
    router's clock, and what was done until the router was VERIFIED."""

    state: str
    saved: bool | None
    waited: str
    bare: float
    steps: tuple[str, ...]
    walked: bool = True
    """False: it was an end in all like one that was walked on from."""

    @property
    def column(self) -> str:
        return "NOT SAVED" if self.state == "VERIFIED" and not self.saved else self.state


def held(text: str) -> Held:
    """What packets meet at each place, whatever the objects are called; and the names of all that is there."""
    config = alike(ios.parse(text))
    bound = {(each.interface, each.pvc or "", each.direction): each.policy for each in config.bindings}
    meets = {
        place: [_class(config, entry) for entry in config.policy_maps[name].classes]
        for place, name in bound.items()
    }
    objects = {*config.access_lists, *config.class_maps, *config.policy_maps}
    return Held(meets, frozenset(objects))


def _class(config: RunningConfig, entry: PolicyClass) -> tuple[object, ...]:
    known = config.class_maps.get(entry.name)
    if known is None:
        return (entry.name, entry.actions)
    lists = [config.access_lists[name].entries for name in sorted(known.access_lists)]
    other = {match for match in known.matches if match.kind != "access-group"}
    return (known.mode, frozenset(other), tuple(lists), entry.actions)


def judge(
    push: RouterPush, before: Held, after: Held, running: str, startup: str, typed: Iterable[str]
) -> None:
    """No end says more than what the router holds; `typed` are the lines of ours that it was sent."""
    assert push.state in (*ENDS, "CANCELLED"), push.state
    now = held(running)
    if push.state == "VERIFIED":
        assert now == after, "VERIFIED, and the router holds something else"
        assert push.saved is (held(startup) == after)
    if push.state in SURE:
        assert (now, now.names) == (before, before.names), f"{push.state}, and it is not as it was"
    if push.state in ("FAILED", "STALE"):
        assert not list(typed), f"{push.state}, and this was sent: {typed}"
    if push.state in {*SURE, "UNKNOWN"}:
        assert push.error and push.error_code


def bare_seconds(journal: Sequence[Mapping[str, Any]]) -> float:
    """How long an interface that had a policy had none, by the router's own clock: the longest."""
    longest, since = 0.0, dict[tuple[Any, ...], float]()
    for entry in journal:
        place = (entry["interface"], entry.get("pvc"), entry["direction"])
        if entry["policy"] is None:
            since[place] = float(str(entry["at"]))
        elif place in since:
            longest = max(longest, float(str(entry["at"])) - since.pop(place))
    return longest


class Rows:
    """What a part of the matrix found, as values that a report of pytest carries from a worker of xdist to whoever prints."""

    def __init__(self, scene: str) -> None:
        self.scene = scene
        self.rows: list[list[Any]] = []

    def add(self, case: Case, ending: Ending, cpu: float) -> None:
        """`cpu`: the seconds of this process that the case took."""
        way = "; ".join(ending.steps)
        self.rows.append(
            [
                self.scene,
                case.stage,
                case.kind,
                ending.column,
                ending.waited,
                ending.bare,
                way,
                ending.walked,
                cpu,
            ]
        )


def table(rows: Iterable[Sequence[Any]]) -> list[str]:
    """Every fault by scenario and stage: how often it ended how, the longest time without a policy; and the ways to VERIFIED."""
    rows = list(rows)
    ends: dict[tuple[str, str, str], Counter[str]] = defaultdict(Counter)
    bare: dict[tuple[str, str, str], float] = defaultdict(float)
    ways, settled = Counter[tuple[str, str]](), Counter[tuple[str, str]]()
    for scene, stage, kind, column, waited, seconds, steps, *_rest in rows:
        key = (scene, stage, kind)
        ends[key][column] += 1
        bare[key] = max(bare[key], seconds)
        ways[scene, steps or "nothing: it ends so by itself"] += 1
        if column == "UNKNOWN":
            settled[scene, waited] += 1
    head = (
        f"{'scenario':14} {'stage':13} {'fault':{ROOM}} {'cases':>5} "
        + " ".join(f"{end:>11}" for end in ENDS)
        + "  bare s"
    )
    walked, cpu = sum(row[-2] for row in rows), sum(row[-1] for row in rows)
    lines = [
        f"{len(rows)} cases, {cpu:.0f} s of CPU; walked on from {walked} ends, the others are each like one of these",
        head,
    ]
    for key, found in sorted(ends.items()):
        counts = " ".join(f"{found[end] or '-':>11}" for end in ENDS)
        lines.append(f"{key[0]:14} {key[1]:13} {key[2]:{ROOM}} {found.total():5} {counts} {bare[key]:7.2f}")
    for scene in dict.fromkeys(scene for scene, *_ in sorted(ends)):
        total = sum((found for key, found in ends.items() if key[0] == scene), Counter[str]())
        longest = max(seconds for key, seconds in bare.items() if key[0] == scene)
        counts = " ".join(f"{total[end] or '-':>11}" for end in ENDS)
        lines.append(f"{scene:14} {'all':13} {'all':{ROOM}} {total.total():5} {counts} {longest:7.2f}")
    lines += [
        f"{scene}: UNKNOWN, and after a wait {state}: {times}"
        for (scene, state), times in sorted(settled.items())
    ]
    lines += [f"{scene}: to VERIFIED by {steps}: {times}" for (scene, steps), times in sorted(ways.items())]
    return lines
