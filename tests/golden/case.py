"""A golden case is a folder: ``case.yaml`` says what a router has to hold before and after, the rest is what we send.

``intended.ios`` is the rendered intent, ``commands.ios`` and ``rollback.ios`` the lines from before to after and
back. ``GOLDEN_UPDATE=1`` writes them anew from the planner: read the difference before committing it.
"""

from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import yaml

from provisioning.pipeline.diff import Owned, Remediation, as_text, diff
from provisioning.pipeline.intent import RouterIntent, removal
from provisioning.pipeline.mqc import RunningConfig
from provisioning.pipeline.platforms import Profile
from provisioning.pipeline.rendering import Renderer
from provisioning.selectors.templates import ios_environment
from tests.pipeline.practice import profile_of
from tests.pipeline.worlds import World

CASES = Path(__file__).parent / "cases"
RENDERER = Renderer(ios_environment())
RESERVATION = ("BETA", "2001:db8:b::/48", "2001:db8:f::/48", None, 1_000_000)


@dataclass(frozen=True)
class Case:
    """One folder; ``kind`` names the platform and train as ``tests.pipeline.practice.KINDS`` does."""

    folder: Path
    kind: str
    before: World | None
    after: World

    @property
    def router(self) -> str:
        """The practice router of this case; each has its own, so that cases do not meet."""
        return self.folder.name

    @property
    def profile(self) -> Profile:
        return profile_of(self.kind)

    def intent(self) -> RouterIntent:
        """What the router must hold in the end."""
        return self.after.intent(self.kind)

    def intended_before(self) -> RouterIntent:
        """What it must hold to begin with: nothing of ours when the case says so."""
        return removal(self.intent()) if self.before is None else self.before.intent(self.kind)

    def plan(self, running: RunningConfig, wanted: RouterIntent, owned: Owned) -> Remediation:
        """From what a router shows to what is wanted."""
        return diff(running, wanted, owned, RENDERER, self.profile)

    def file(self, name: str) -> str:
        return (self.folder / name).read_text(encoding="utf-8")

    def check(self, name: str, text: str) -> None:
        """Hold a text against its golden file."""
        if os.environ.get("GOLDEN_UPDATE") == "1":
            (self.folder / name).write_text(text, encoding="utf-8")
        expected = self.file(name)
        assert text == expected, f"{self.folder.name}/{name} is not what the planner makes now"


def all_cases() -> list[Case]:
    """Every folder with a ``case.yaml``."""
    return [_read(path) for path in sorted(CASES.glob("*/case.yaml"))]


def texts(case: Case, found: Remediation) -> dict[str, str]:
    """The three golden files, as the planner makes them now."""
    return {
        "intended.ios": RENDERER.document(case.intent().objects(), case.profile),
        "commands.ios": as_text(found.commands),
        "rollback.ios": as_text(found.rollback),
    }


def _read(path: Path) -> Case:
    data: dict[str, Any] = yaml.safe_load(path.read_text(encoding="utf-8"))
    before = data["before"]
    return Case(path.parent, data["kind"], None if before is None else _world(before), _world(data["after"]))


def _world(data: dict[str, Any]) -> World:
    return World(
        cases=tuple((name, case, bool(standing)) for name, case, standing in data["access"]),
        reservations=(RESERVATION,) if data["reserved"] else (),
        core=tuple(data["core"]),
        policer=data.get("policer", "cap"),
        other=bool(data.get("other", False)),
    )
