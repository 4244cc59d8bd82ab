"""The fault matrix: every fault at every line of three pushes, and two at once; every end is right, and leads to VERIFIED.

The drivers' own dialogue speaks over the wire of a practice router (`wired`); its waits are those of the product, on a clock that
moves only while somebody waits. The same push of each scenario without a fault says what the router has to hold in the end.
"""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest
from django.conf import settings

from lab.device import Device
from provisioning.errors import Conflict
from provisioning.models import BareInterface, Change, ChangeKind, PremiumRequest, RouterPush, RouterSync
from provisioning.pipeline import ios
from provisioning.pipeline.mqc import PolicyClass, RunningConfig
from provisioning.selectors.plans import plan_of
from provisioning.services import changes, planning, queues
from tests.pipeline.diff.test_properties import alike
from tests.services import wired
from tests.services.fault_cases import Case, cases
from tests.services.house import House, undone, with_baseline
from tests.services.house import bare_house as bare_house
from tests.services.mortal import Mortal

DEEP = os.environ.get("PROPERTIES") == "deep"
PAIRS = 350 if DEEP else 40
PARTS = 4 if DEEP else 1
ROUTER = "nl6"
MARK = "MARK-1"
FOREIGN = ("interface POS2/0", f"description {MARK}")
ENDS = {"VERIFIED", "ROLLED_BACK", "STALE", "FAILED", "UNKNOWN", "CANCELLED"}
SURE = {"ROLLED_BACK", "STALE", "FAILED"}


@dataclass(frozen=True)
class Held:
    """What a router holds as `held` says it; the names count where nothing may have changed."""

    meets: dict[tuple[str, str, str], list[tuple[object, ...]]]
    names: frozenset[str] = field(compare=False)


@dataclass
class Scene:
    """A push of one router that waits for its approval, and what the router holds before it and after one without a fault."""

    house: House
    device: Device
    before: Held
    after: Held
    lines: list[str]
    undo: list[str]
    whole: bool
    """Whether the router is in sync after it: nothing of it waits for other routers."""
    first: int
    """The key of the push that waits."""

    def holds(self) -> Held:
        return held(self.device.running_config())

    def push(self) -> RouterPush:
        return RouterPush.objects.filter(router__name=ROUTER).order_by("-pk")[0]


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


@contextmanager
def once_more(house: House) -> Iterator[None]:
    """What is done in the body is undone: rows by the database, routers by their notes."""
    house.routers.note()
    with undone(house):
        yield


def baseline(house: House) -> None:
    planning.plan_domain(actor=house.noc[0], routers=[ROUTER])


def swap(house: House) -> None:
    house.begin(house.ask(1, "SURFnet", 1))
    house.work()


def edit(house: House) -> None:
    swap(house)
    approve(house)
    house.begin(house.ask(2, "SURFnet", 1))
    house.work()


SCENES: dict[str, Callable[[House], None]] = {"baseline": baseline, "swap": swap, "edit": edit}


def approve(house: House, mortal: Mortal | None = None) -> None:
    """Whatever of the router waits for it; and the clock does the rest, by a `mortal` where there is one."""
    for change in Change.objects.filter(pushes__state="PLANNED", pushes__router__name=ROUTER).distinct():
        approved = changes.approve(actor=house.noc[3], change=change, confirm_gaps=True, reason="read")
        if approved.approved_at is not None and approved.released_at is None:
            changes.release(actor=house.noc[3], change=approved)
    house.work(mortal=mortal)


def scene_of(house: House, name: str) -> Scene:
    SCENES[name](house)
    device = house.routers.devices[ROUTER]
    before = held(device.running_config())
    push = RouterPush.objects.filter(router__name=ROUTER, state="PLANNED").order_by("pk").first()
    assert push is not None
    plan = plan_of(push)
    lines, undo = ([line.text for line in each] for each in (plan.commands, plan.undo[-1]))
    scene = Scene(house, device, before, before, lines, undo, whole=name != "baseline", first=push.pk)
    with once_more(house):
        approve(house)
        assert scene.push().state == "VERIFIED", scene.push().error
        scene.after = scene.holds()
        assert held(device.startup or "") == scene.after
    return scene


def judge_end(scene: Scene, push: RouterPush, case: Case) -> None:
    """No end says more than what the router holds, and nobody else's line is saved."""
    assert push.state in ENDS, push.state
    if push.state == "VERIFIED":
        assert scene.holds() == scene.after, "VERIFIED, and the router holds something else"
        assert push.saved is (held(scene.device.startup or "") == scene.after)
    if push.state in SURE:
        now = scene.holds()
        assert (now, now.names) == (scene.before, scene.before.names), (
            f"{push.state}, and it is not as it was"
        )
    if push.state in ("FAILED", "STALE"):
        typed = {str(each["line"]) for each in scene.device.history} - {"end", *FOREIGN}
        assert not typed, f"{push.state}, and this was sent: {typed}"
    if push.state in {*SURE, "UNKNOWN"}:
        assert push.error and push.error_code
    if case.foreign:
        assert MARK not in (scene.device.startup or ""), "somebody else's line was saved"


def walk_on(scene: Scene) -> list[str]:
    """What is documented for each end, until the router is verified: wait, plan again, repair. Returns what was done."""
    house, done = scene.house, []
    scene.device.faults.items.clear()
    house.wait(400)
    house.work()
    for step in ("plan again", "plan again", "repair", "plan again"):
        if scene.holds() == scene.after and scene.push().state == "VERIFIED":
            return done
        done.append(step)
        try:
            if step == "repair" or not plan_again(house):
                kind = ChangeKind.REPAIR if step == "repair" else ChangeKind.BASELINE
                planning.plan_domain(actor=house.noc[0], routers=[ROUTER], kind=kind)
            house.work()
            approve(house)
        except Conflict as error:
            done[-1] += f" ({error.code})"
        house.wait(400)
        house.work()
    assert scene.holds() == scene.after, f"after {done} the router holds something else"
    return done


def plan_again(house: House) -> bool:
    """Every request that waits for a person is planned again; whether there was one."""
    found = False
    for request in PremiumRequest.objects.filter(source_link__interface__router__name=ROUTER):
        with suppress(Conflict):
            queues.retry(actor=house.noc[0], request=request, reason="mended")
            found = True
    return found


def bare_seconds(device: Device) -> float:
    """How long an interface that had a policy had none, by the router's own clock: the longest."""
    longest, since = 0.0, dict[tuple[Any, ...], float]()
    for entry in device.journal:
        place = (entry["interface"], entry.get("pvc"), entry["direction"])
        if entry["policy"] is None:
            since[place] = float(str(entry["at"]))
        elif place in since:
            longest = max(longest, float(str(entry["at"])) - since.pop(place))
    return longest


def play(scene: Scene, case: Case) -> tuple[str, float, list[str]]:
    """One case: the end of its push, the bare seconds, the steps to VERIFIED."""
    house, device = scene.house, scene.device
    with once_more(house):
        device.journal.clear()
        device.history.clear()
        if case.foreign:
            house.routers.type(ROUTER, *FOREIGN)
        for fault in case.faults:
            device.faults.add(fault)
        approve(house)
        mine = RouterPush.objects.filter(router__name=ROUTER, pk__gte=scene.first)
        first = mine.get(pk=scene.first)
        # Where nothing was sent it is planned anew by itself: then it is the last of them that says what is there.
        judge_end(scene, mine.filter(started_at__isnull=False).order_by("-pk").first() or first, case)
        bare = bare_seconds(device)
        steps = walk_on(scene)
        assert not BareInterface.objects.exists(), "an interface is still said to be bare"
        if scene.whole:
            assert RouterSync.objects.get(router__name=ROUTER).state == "in-sync"
        saved = "" if first.saved or first.state != "VERIFIED" else ", NOT SAVED"
        return f"{first.state}{saved}", bare, steps


@pytest.mark.parametrize("part", range(PARTS))
@pytest.mark.parametrize("name", list(SCENES))
def test_every_fault_ends_right_and_leads_to_verified(
    bare_house: House, monkeypatch: pytest.MonkeyPatch, name: str, part: int
) -> None:
    made = bare_house if name == "baseline" else with_baseline(bare_house)
    wired.wire(monkeypatch, made.routers)
    scene = scene_of(made, name)
    every = cases(scene.lines, scene.undo, pairs=PAIRS)
    chosen = every[part::PARTS] if DEEP else every[:: max(1, len(every) // 12)]
    table: Counter[tuple[str, str]] = Counter()
    walked: Counter[str] = Counter()
    longest, wrong = 0.0, list[str]()
    for case in chosen:
        try:
            end, bare, steps = play(scene, case)
        except AssertionError as error:
            wrong.append(f"{case.name}{' (foreign)' if case.foreign else ''}: {error}".split("\n")[0])
            continue
        table[case.kind, end] += 1
        walked["; ".join(steps) or "nothing: it ends so by itself"] += 1
        longest = max(longest, bare)
    note(f"{name}, part {part + 1} of {PARTS}", shown(name, len(chosen), table, walked, longest))
    assert not wrong, f"{len(wrong)} of {len(chosen)}:\n" + "\n".join(wrong[:40])


def note(part: str, text: str) -> None:
    """Print the table, and keep it: what the deep run found is quoted."""
    print(text)
    folder = Path(settings.STATE_DIR)
    with (folder / "fault-matrix.txt").open("a") as file:
        file.write(f"{part}\n{text}\n")


def shown(
    name: str, count: int, table: Counter[tuple[str, str]], walked: Counter[str], longest: float
) -> str:
    """The table of a scenario as text."""
    lines = [f"{name}: {count} cases, the longest time without a policy {longest:.2f} s"]
    lines += [f"  {kind:24} {end:28} {times:5}" for (kind, end), times in sorted(table.items())]
    lines += [f"  to VERIFIED: {steps}: {times}" for steps, times in walked.most_common()]
    return "\n".join(lines)
