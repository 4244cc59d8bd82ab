"""Golden cases: a folder each, found by glob; compared as text and carried out on a practice router.

`running.ios` and `intended.ios` are given, `remediation.ios` and `rollback.ios` are what is expected; `platform`
names the kind of practice router (a 12000 without it). EXPEDITE_UPDATE=1 rewrites the expected files: read the
difference before committing it.
"""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from provisioning.pipeline import ios
from provisioning.pipeline.diff import Remediation, Step, as_text, diff_configs
from provisioning.pipeline.rendering import Renderer
from tests.pipeline.practice import Oracle, profile_of

CASES = sorted(path.parent for path in (Path(__file__).parent / "golden").glob("*/running.ios"))


def test_there_are_cases():
    assert len(CASES) >= 20


def kind_of(case: Path) -> str:
    platform = case / "platform"
    return platform.read_text().strip() if platform.exists() else "12000"


def remediation(case: Path, oracle: Oracle, renderer: Renderer) -> Remediation:
    profile = profile_of(oracle.kind)
    intended = ios.parse_fragment((case / "intended.ios").read_text(), profile)
    return diff_configs(oracle.read(), intended, renderer, profile)


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
def test_commands_and_rollback_are_as_written(case, renderer):
    found = remediation(case, Oracle(kind_of(case), (case / "running.ios").read_text()), renderer)
    assert found.conflicts == ()
    for name, lines in (("remediation.ios", found.commands), ("rollback.ios", found.rollback)):
        if os.environ.get("EXPEDITE_UPDATE"):
            (case / name).write_text(as_text(lines))
        assert as_text(lines) == (case / name).read_text()
        assert all(isinstance(line.step, Step) for line in lines)


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
def test_a_router_that_is_told_so_holds_it_and_comes_back(case, renderer):
    oracle = Oracle(kind_of(case), (case / "running.ios").read_text())
    start = oracle.read()
    found = remediation(case, oracle, renderer)
    assert oracle.send(found.commands) == []
    assert oracle.read() == found.result
    assert remediation(case, oracle, renderer).empty
    assert oracle.send(found.rollback) == []
    assert oracle.read() == start
