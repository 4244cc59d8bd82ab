"""The fault matrix: every fault at every line of four pushes, and two at once; every end is right, and leads to VERIFIED.

The drivers' own dialogue speaks over the wire of a practice router (`wired`); its waits are those of the product, on a clock that
moves only while somebody waits. The same push of each scenario without a fault says what the router has to hold in the end.
`make test DEEP=1 ARGS=tests/services/test_fault_matrix.py` plays it all and prints the table; the same over SSH, on real
clocks, is `test_faults_over_ssh`.
"""

from __future__ import annotations

import gc
import time
from collections.abc import Iterator
from typing import Any

import pytest

from lab.faults import KINDS
from tests.depth import DEEP
from tests.services import wired
from tests.services.fault_cases import Case, cases
from tests.services.house import House, with_baseline
from tests.services.house import bare_house as bare_house
from tests.services.judged import PROPERTY, Rows, table
from tests.services.scenes import FULL_WAITS, NEIGHBOUR, ROUTER, SCENES, Scene, play, released, scene_of
from tests.services.timed import ARCHIVE, managed_over, routed

pytestmark = pytest.mark.once  # over practice routers, the same on either database

PAIRS = {"baseline": 350, "swap": 350, "edit": 350, "reverting": 50}
PARTS = 3 if DEEP else 1
SAMPLE = 6


def scene_for(house: House, name: str, monkeypatch: pytest.MonkeyPatch) -> Scene:
    """The push of a scenario, planned; its router has a neighbour that it can lose."""
    if name == "reverting":
        interface = routed(house, ROUTER)
        seconds = wired.wire(monkeypatch, house.routers)
        managed_over(house, ROUTER, interface, *ARCHIVE, *NEIGHBOUR)
        return scene_of(house, name, seconds)
    made = house if name == "baseline" else with_baseline(house)
    seconds = wired.wire(monkeypatch, made.routers)
    made.routers.type(ROUTER, *NEIGHBOUR)
    made.routers.devices[ROUTER].save("console")
    return scene_of(made, name, seconds)


def cases_of(scene: Scene, name: str) -> list[Case]:
    timed = name == "reverting"
    return cases(
        scene.lines, scene.undo, pairs=PAIRS[name], bound=scene.bound, timed=timed, every_line=not timed
    )


def in_turn(scene: Scene, chosen: list[Case]) -> Iterator[tuple[Case, bool]]:
    """Each case and whether its push is begun: what all of them begin with is done once for those that notice nothing of it."""
    yield from ((case, False) for case in chosen if not case.only_at_lines)
    with released(scene):
        yield from ((case, True) for case in chosen if case.only_at_lines)


@pytest.mark.parametrize("part", range(PARTS))
@pytest.mark.parametrize("name", list(SCENES))
def test_every_fault_ends_right_and_leads_to_verified(
    bare_house: House,
    settings: Any,
    monkeypatch: pytest.MonkeyPatch,
    record_property: Any,
    name: str,
    part: int,
) -> None:
    for setting, seconds in FULL_WAITS.items():
        setattr(settings, setting, seconds)
    scene = scene_for(bare_house, name, monkeypatch)
    every = cases_of(scene, name)
    chosen = every[part::PARTS] if DEEP else every[:: max(1, len(every) // SAMPLE)]
    gc.collect()
    gc.freeze()  # what is there by now stays: thousands of courses need not look through it again
    rows, wrong = Rows(name), list[str]()
    for case, begun in in_turn(scene, chosen):
        began = time.process_time()
        try:
            ending = play(scene, case, begun=begun)
        except AssertionError as error:
            wrong.append(f"{case.name}{' (foreign)' if case.foreign else ''}: {error}".split("\n")[0])
        else:
            rows.add(case, ending, time.process_time() - began)
    record_property(PROPERTY, rows.rows)
    assert not wrong, f"{len(wrong)} of {len(chosen)}:\n" + "\n".join(wrong[:40])


def test_every_fault_of_a_practice_router_is_in_the_matrix() -> None:
    """A practice router that learns another fault has it tried here."""
    made = cases(
        ["interface POS1/0", "service-policy input A"],
        ["no service-policy input A"],
        pairs=0,
        bound=[("POS1/0", "input", "A")],
        timed=True,
    )
    assert set().union(*(case.kinds for case in made)) == set(KINDS)


def test_the_table_counts_every_case_once() -> None:
    rows = [
        ["swap", "a line", "refused", "ROLLED_BACK", "ROLLED_BACK", 0.03, "plan again", True, 1.0],
        ["swap", "a line", "refused", "VERIFIED", "VERIFIED", 0.06, "", True, 1.0],
        ["edit", "half way", "unreachable", "UNKNOWN", "VERIFIED", 0.0, "", False, 0.5],
    ]
    text = table(rows)
    assert text[0].startswith("3 cases, 2 s of CPU; walked on from 2 ends")
    refused = next(line for line in text if line.startswith("swap") and "refused" in line).split()
    assert refused == ["swap", "a", "line", "refused", "2", "1", "-", "1", "-", "-", "-", "0.06"]
    assert "edit: UNKNOWN, and after a wait VERIFIED: 1" in text
