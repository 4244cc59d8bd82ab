"""Of the fault matrix every kind of fault at every stage, over SSH and with the waits of the product, on real clocks.

A practice router that nobody spoke to says what the router has to hold: it booted from the same startup-config and was typed the
same lines. From every end it is walked on to VERIFIED by the step that the table of ends names.
"""

from __future__ import annotations

import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from inventory.models import Domain, Router
from lab.device import Device
from lab.faults import KINDS
from lab.spec import RouterSpec
from provisioning.errors import Conflict, NotPermitted
from provisioning.models import Change, RouterPush, RouterSync
from provisioning.selectors.ends import end_of_push
from provisioning.selectors.plans import plan_of
from provisioning.services import changes, next_steps, pushing, saving
from provisioning.services.practice.spec import router_specs
from tests.services.backbone import Backbone, build, build_live
from tests.services.fault_cases import COMMAND, DOOR, HALF_WAY, LINE, UNDO, WHOLE, Case, cases
from tests.services.in_process import secrets_for
from tests.services.judged import PROPERTY, Ending, Held, Rows, bare_seconds, held, judge
from tests.services.scenes import FOREIGN, FULL_WAITS, MARK, NEIGHBOUR, ROUTER
from tests.services.timed import ARCHIVE, HERE, row_with_timers

pytestmark = pytest.mark.once

SWAPPED = "service-policy input FILTERED-IN"
MOST_STEPS = 4


@dataclass(frozen=True)
class Chosen:
    """A case of the matrix by its scenario, its stage and its kind, at what `place` names; `every` also has it without DEEP."""

    scene: str
    stage: str
    kind: str
    place: str = ""
    foreign: bool = False
    every: bool = False

    def __str__(self) -> str:
        return f"{self.scene}-{self.stage}-{self.kind}-{self.place}".replace(" ", "-").rstrip("-")


CHOSEN = (
    Chosen("swap", LINE, "refused", SWAPPED, every=True),
    *(
        Chosen("swap", LINE, kind, SWAPPED, foreign=kind == "noise")
        for kind in ("refused always", "refused late", "ignored", "dropped before", "dropped after", "hangs",
                     "hangs always", "slow", "noise")
    ),
    *(Chosen("baseline", LINE, kind, "match dscp") for kind in ("refused", "ignored", "dropped after")),
    Chosen("swap", COMMAND, "refused", "configure terminal"),
    Chosen("swap", COMMAND, "dropped", "write memory"),
    Chosen("swap", COMMAND, "dropped always", "write memory"),
    Chosen("swap", COMMAND, "hangs", "show policy-map interface"),
    Chosen("swap", COMMAND, "slow", "show running-config"),
    Chosen("swap", UNDO, "refused", every=True),
    *(Chosen("swap", UNDO, kind) for kind in ("ignored", "dropped before", "dropped after", "hangs")),
    Chosen("swap", DOOR, "wrong password", every=True),
    *(
        Chosen("swap", DOOR, kind)
        for kind in ("unreachable", "vty closed", "vty refused", "enable refused", "another chassis")
    ),
    Chosen("baseline", HALF_WAY, "vty closed", every=True),
    *(
        Chosen("baseline", HALF_WAY, kind)
        for kind in ("unreachable", "vty refused", "wrong password", "enable refused", "another chassis")
    ),
    *(
        Chosen("swap", WHOLE, kind, foreign=kind == "another image")
        for kind in ("save refused", "save always refused", "another image", "echo cut short", "busy",
                     "neighbour lost before", "vanishes", "busy with it", "neighbour lost with it")
    ),
    Chosen("reverting", WHOLE, "minutes too short"),
    Chosen("reverting", WHOLE, "cut off by it"),
    Chosen("reverting", COMMAND, "refused", "configure confirm"),
    Chosen("reverting", LINE, "dropped after", "service-policy"),
)  # fmt: skip


@pytest.fixture
def full_waits(_patient: None, settings: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    """What the product waits for a router, and no less."""
    for name, seconds in {**FULL_WAITS, "ROUTER_TIMEOUT_SECONDS": 30}.items():
        setattr(settings, name, seconds)
    monkeypatch.setattr(pushing, "PAUSE_SECONDS", 1.0)


@dataclass
class Scene:
    """A push over SSH that waits to be released."""

    backbone: Backbone
    change: Change
    push: RouterPush
    case: Case
    before: Held
    after: Held

    def state(self) -> dict[str, Any]:
        return self.backbone.call("state", ROUTER)


def begun(directory: Path, scene: str) -> Backbone:
    """The practice routers of a scenario; the one that is pushed to has a neighbour it can lose."""
    if scene == "swap":
        made = build_live(directory)
    else:
        interface: list[str] = []

        def timers() -> None:
            if scene == "reverting":
                interface.append(row_with_timers(ROUTER))

        made = build(directory, first=timers)
        if interface:
            made.console(ROUTER, *ARCHIVE, f"interface {interface[0]}", HERE)
    made.console(ROUTER, *NEIGHBOUR)
    made.call("save", ROUTER)
    return made


def approved(backbone: Backbone, scene: str) -> Change:
    if scene != "swap":
        return backbone.approve(backbone.plan(routers=[ROUTER]), confirm_gaps=True)
    request = backbone.admit(backbone.ask("SURFnet", "GRNET", "1M"))
    backbone.work()
    return backbone.approve(request.changes.get(), confirm_gaps=True)


def untouched(startup: str) -> Device:
    """A practice router of its own that booted from this, for what the same lines make of it."""
    secrets = secrets_for(list(Router.objects.values_list("name", flat=True)))
    specs = router_specs(Domain.objects.get(), secrets)["routers"]
    (spec,) = (each for each in specs if each["name"] == ROUTER)
    return Device(RouterSpec.from_dict(spec), nvram=startup)


def typed_into(device: Device, lines: list[str]) -> Held:
    session = device.open_session(privilege=15, console=True)
    session.execute("configure terminal")
    for line in lines:
        said = session.execute(line)
        assert not said.lstrip().startswith(("%", "^")), f"{line}: {said}"
    return held(device.running_config())


def scene_of(backbone: Backbone, chosen: Chosen) -> Scene:
    change = approved(backbone, chosen.scene)
    push = change.pushes.get(router__name=ROUTER, phase="edges")
    plan = plan_of(push)
    state = backbone.call("state", ROUTER)
    lines, undo = ([line.text for line in each] for each in (plan.commands, plan.undo[-1]))
    device = untouched(str(state["startup"]))
    after = typed_into(device, lines)
    bound = [
        (str(each["interface"]), str(each["direction"]), str(each["policy"]))
        for each in device.journal
        if each["policy"] is not None
    ]
    every = cases(lines, undo, pairs=0, bound=bound, timed=chosen.scene == "reverting")
    found = [
        each for each in every
        if (each.stage, each.kind) == (chosen.stage, chosen.kind) and chosen.place in each.name
    ]  # fmt: skip
    assert found, f"no such case: {chosen}"
    return Scene(backbone, change, push, found[len(found) // 2], held(str(state["running"])), after)


def planted(scene: Scene, chosen: Chosen, monkeypatch: pytest.MonkeyPatch) -> None:
    """The faults of the case; those that come when the session has broken off come before the next one is opened."""
    backbone, left = scene.backbone, list(scene.case.then)

    def pause(seconds: float) -> None:
        while left:
            backbone.call("fault", ROUTER, fault=left.pop())
        time.sleep(seconds)

    monkeypatch.setattr(pushing, "time", SimpleNamespace(sleep=pause))
    if chosen.foreign:
        backbone.console(ROUTER, *FOREIGN)
    for fault in scene.case.faults:
        backbone.call("fault", ROUTER, fault=fault)
    if chosen.kind == "cut off by it":  # its five minutes are twenty seconds
        backbone.call("fault", ROUTER, fault={"kind": "short-minutes", "seconds": 4})


def walk_on(scene: Scene) -> list[str]:
    """By the next step of each end to VERIFIED, and saved; what was done."""
    backbone, done = scene.backbone, list[str]()
    backbone.clear()
    while True:
        push = RouterPush.objects.filter(router__name=ROUTER, phase="edges").latest("pk")
        end = end_of_push(push)
        if push.state == "VERIFIED" and push.saved:
            return done
        assert end is not None and end.verb is not None, f"after {done} no next step from {push.state}"
        assert len(done) < MOST_STEPS, f"after {done} still {push.state} {push.error_code}: {push.error}"
        done.append(end.verb.value)
        seen = saving.look(actor=backbone.planner, router=push.router).digest if end.verb == "save" else ""
        with suppress(Conflict):  # what is planned again by itself may be planned already
            next_steps.take(actor=backbone.planner, push=push, verb=end.verb, reason="mended", seen=seen)
        carried_out(backbone)


def carried_out(backbone: Backbone) -> None:
    """What the step had planned is approved by somebody else, and goes out."""
    backbone.work()
    for change in Change.objects.filter(finished_at=None, pushes__state="PLANNED").distinct():
        with suppress(Conflict, NotPermitted):
            backbone.approve(change, confirm_gaps=True)
        change.refresh_from_db()
        if change.approved_at is not None and change.released_at is None:
            changes.release(actor=backbone.approver, change=change)
    backbone.work()


@pytest.mark.parametrize(
    "chosen",
    [pytest.param(each, marks=() if each.every else pytest.mark.deep, id=str(each)) for each in CHOSEN],
)
def test_a_fault_over_ssh_ends_right_and_leads_to_verified(
    transactional_db: None,
    full_waits: None,
    monkeypatch: pytest.MonkeyPatch,
    record_property: Any,
    chosen: Chosen,
) -> None:
    cpu = time.process_time()
    with started(chosen.scene) as backbone:
        scene = scene_of(backbone, chosen)
        planted(scene, chosen, monkeypatch)
        count = len(backbone.typed(ROUTER))
        if scene.change.released_at is None:
            changes.release(actor=backbone.approver, change=scene.change)
        backbone.work()
        pushes = RouterPush.objects.filter(router__name=ROUTER, phase="edges", pk__gte=scene.push.pk)
        first = pushes.get(pk=scene.push.pk)
        last = pushes.filter(started_at__isnull=False).order_by("-pk").first() or first
        state = scene.state()
        typed = [line for line in backbone.typed(ROUTER)[count:] if line != "end"]
        judge(last, scene.before, scene.after, str(state["running"]), str(state["startup"]), typed)
        if chosen.foreign:
            assert MARK not in str(state["startup"]), "somebody else's line was saved"
            backbone.call("save", ROUTER)  # she saves it herself
        steps = walk_on(scene)
        waited = pushes.get(pk=scene.push.pk).state
        found = scene.state()
        assert held(str(found["running"])) == held(str(found["startup"])) == scene.after
        if chosen.scene == "swap":
            assert RouterSync.objects.get(router__name=ROUTER).state == "in-sync"
        rows = Rows(f"{chosen.scene} SSH")
        ending = Ending(first.state, first.saved, waited, bare_seconds(state["journal"]), tuple(steps))
        rows.add(scene.case, ending, time.process_time() - cpu)
        record_property(PROPERTY, rows.rows)


@contextmanager
def started(scene: str) -> Iterator[Backbone]:
    # A unix socket's path is short; pytest's own directories are not.
    with tempfile.TemporaryDirectory(prefix="xp-") as directory:
        made = begun(Path(directory), scene)
        try:
            yield made
        finally:
            made.stop()


def test_every_kind_of_fault_and_every_stage_is_tried_over_ssh() -> None:
    made = cases(
        ["interface POS1/0", SWAPPED, "match dscp 8"],
        ["no x"],
        pairs=0,
        bound=[("POS1/0", "input", "A")],
        timed=True,
    )
    by_name = {(each.stage, each.kind): each for each in made}
    tried = [by_name[each.stage, each.kind] for each in CHOSEN]
    assert len(CHOSEN) >= 40
    assert {each.stage for each in tried} == {each.stage for each in made}
    assert {each.kind for each in tried} == {each.kind for each in made}
    assert set().union(*(each.kinds for each in tried)) == set(KINDS)
    assert 3 <= sum(each.every for each in CHOSEN) <= 5
