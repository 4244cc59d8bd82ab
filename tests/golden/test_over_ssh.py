"""Golden cases applied to practice routers over SSH: there, and back to what it was."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from provisioning.drivers import RouterDriver, connect
from provisioning.pipeline import ios
from provisioning.pipeline.diff import Owned, Remediation
from provisioning.pipeline.mqc import RunningConfig
from tests.drivers.practice import Practice
from tests.golden.case import Case, all_cases, texts
from tests.golden.over_ssh import PATIENCE, push, routers_of, type_at
from tests.pipeline.practice import Oracle
from tests.pipeline.worlds import FOREIGN

CASES = all_cases()
APPENDIX = Path(__file__).resolve().parents[1] / "pipeline" / "cases" / "appendix-a.ios"
NOISE = ("!", "ntp clock-period", "Building configuration", "Current configuration")


@pytest.fixture(scope="module")
def routers(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Practice]:
    """One router per case, each with somebody else's objects on it."""
    with routers_of(
        tmp_path_factory.mktemp("golden"), {case.router: case.kind for case in CASES}
    ) as practice:
        yield practice


def _read(session: RouterDriver, case: Case) -> RunningConfig:
    return ios.parse(session.running_config(), case.profile)


def _quiet(text: str) -> list[str]:
    return [line.rstrip() for line in text.splitlines() if not line.lstrip().startswith(NOISE)]


def _beginning(practice: Practice, case: Case, session: RouterDriver) -> Remediation:
    """Bring the router to where the case begins; returns the plan that did it."""
    first = case.plan(_read(session, case), case.intended_before(), Owned())
    assert first.conflicts == ()
    type_at(practice, case.router, [line.text for line in first.commands])
    return first


def test_there_are_cases_for_every_train() -> None:
    assert {"12000", "7200-12.2T", "7200-12.3T", "7200-hqf"} <= {case.kind for case in CASES}
    assert len(CASES) >= 11


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.folder.name)
def test_applied_it_is_as_intended_and_rolled_back_as_it_was(case: Case, routers: Practice) -> None:
    with connect(routers.target(case.router), timeout=PATIENCE) as session:
        first = _beginning(routers, case, session)
        text_before = session.running_config()
        before = ios.parse(text_before, case.profile)
        assert before == first.result
        found = case.plan(before, case.intent(), Owned(first.owned_after))
        assert found.conflicts == ()
        for name, text in texts(case, found).items():
            case.check(name, text)

        push(session, found.commands)
        reached = _read(session, case)
        assert reached == found.result
        assert reached.bindings >= case.intent().bindings
        intended = ios.parse_fragment(case.file("intended.ios"))
        for held, wanted in (
            (reached.access_lists, intended.access_lists),
            (reached.class_maps, intended.class_maps),
            (reached.policy_maps, intended.policy_maps),
        ):
            assert {name: held[name] for name in wanted} == dict(wanted)
        assert case.plan(reached, case.intent(), Owned(found.owned_after)).empty

        push(session, found.rollback)
        text_after = session.running_config()
    assert ios.parse(text_after, case.profile) == before
    assert sorted(_quiet(text_after)) == sorted(_quiet(text_before))


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.folder.name)
def test_the_files_are_what_a_router_in_process_takes_too(case: Case) -> None:
    """The same lines without SSH: what fails here is not the driver's doing."""
    oracle = Oracle(case.kind, FOREIGN)
    first = case.plan(oracle.read(), case.intended_before(), Owned())
    assert oracle.send(first.commands) == []
    assert oracle.send(case.file("commands.ios").split("\n")[:-1]) == []
    assert case.plan(oracle.read(), case.intent(), Owned(first.owned_after)).conflicts == ()


def test_the_appendix_case_is_the_appendix() -> None:
    (case,) = [case for case in CASES if case.folder.name == "appendix-12000"]
    made = ios.parse_fragment(case.file("intended.ios"))
    printed = ios.parse_fragment(APPENDIX.read_text(encoding="utf-8"))
    assert dict(made.class_maps) == dict(printed.class_maps)
    assert dict(made.policy_maps) == dict(printed.policy_maps)
