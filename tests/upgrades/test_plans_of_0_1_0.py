"""Plans that version 0.1.0 stored: a push under way at an upgrade is read, found and taken back as it was approved.

`plans/*.json` were written by the code of 0.1.0: the plans as it stored them, and the configuration they were made for.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from provisioning.errors import InvalidInput
from provisioning.pipeline import ios
from provisioning.pipeline.change import ChangePlan
from provisioning.pipeline.change.stored import WHOLE
from provisioning.pipeline.safety import simulate
from provisioning.services.pushing import standing
from tests.pipeline.change.test_plans import CIRCUMSTANCES
from tests.pipeline.practice import profile_of

FOUND = sorted((Path(__file__).parent / "plans").glob("*.json"))


def test_there_are_such_plans() -> None:
    assert [path.stem for path in FOUND] == ["baseline", "entries-come", "entries-go"]


@pytest.fixture(params=FOUND, ids=lambda path: path.stem)
def kept(request: pytest.FixtureRequest) -> Any:
    return json.loads(request.param.read_text())


def test_a_plan_kept_whole_is_read_and_written_as_it_was(kept: Any) -> None:
    for data in kept["plans"]:
        plan = ChangePlan.from_json(data)
        assert plan.form == WHOLE
        assert plan.to_json() == data
        assert [[line.to_json() for line in lines] for lines in plan.undo] == data["undo"]


def test_its_fingerprint_still_says_whether_the_router_is_as_approved(kept: Any) -> None:
    plan = ChangePlan.from_json(kept["plans"][0])
    running = ios.parse(kept["running"], profile_of(kept["kind"]))
    assert plan.fingerprint_now(running, CIRCUMSTANCES) == plan.fingerprint
    assert plan.fingerprint_now(simulate(running, plan.commands)[-1], CIRCUMSTANCES) != plan.fingerprint


def test_every_prefix_of_it_is_found_and_can_be_taken_back(kept: Any) -> None:
    profile = profile_of(kept["kind"])
    config = ios.parse(kept["running"], profile)
    for data in kept["plans"]:
        plan = ChangePlan.from_json(data)
        states = (config, *simulate(config, plan.commands, profile))
        for count, state in enumerate(states):
            assert standing.stands(plan, state, count)
            assert standing.undo_position(plan, config, count, state, profile) is not None
            back = (state, *simulate(state, plan.undo[count], profile))[-1]
            assert standing.stands(plan, back, 0)
        config = states[-1]


def test_a_form_of_a_later_version_is_refused(kept: Any) -> None:
    with pytest.raises(InvalidInput, match="form 3 is of a later version"):
        ChangePlan.from_json({**kept["plans"][0], "form": 3})
