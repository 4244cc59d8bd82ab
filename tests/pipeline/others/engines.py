"""The same two texts through hier_config and through ours, each as its documentation says to use it."""

from __future__ import annotations

from pathlib import Path

from hier_config import Platform, WorkflowRemediation, get_hconfig

from provisioning.pipeline import ios
from provisioning.pipeline.diff import Remediation, as_text, diff
from provisioning.pipeline.intent import ManagedInterface, Role
from provisioning.pipeline.rendering import Renderer
from provisioning.selectors.templates import ios_environment
from tests.pipeline.intents import everything_of, intent_of
from tests.pipeline.practice import profile_of

CASES = Path(__file__).parent / "cases"
NAMES = sorted(path.parent.name for path in CASES.glob("*/running.ios"))
KIND = "12000"
RENDERER = Renderer(ios_environment())


def given(case: str) -> tuple[str, str]:
    """The running and the intended text of a case."""
    return (CASES / case / "running.ios").read_text(), (CASES / case / "intended.ios").read_text()


def theirs(case: str) -> str:
    """hier_config's remediation, in the style it prints for Cisco; empty when it sees no difference."""
    running, intended = (get_hconfig(Platform.CISCO_IOS, text) for text in given(case))
    steps = WorkflowRemediation(running, intended).remediation_config.all_children_sorted()
    return "".join(f"{step.cisco_style_text()}\n" for step in steps)


def ours(case: str) -> str:
    """Our commands for the same, when every object of the running text is ours."""
    return as_text(remediation(case).commands)


def remediation(case: str) -> Remediation:
    """The whole of it: commands, rollback, gaps, result."""
    running, intended = (ios.parse(text, profile_of(KIND)) for text in given(case))
    place = ManagedInterface("POS1/0", None, Role.ACCESS, "A@uk6:POS1/0")
    wanted = intent_of(intended, place, router=intended.hostname)
    return diff(running, wanted, everything_of(running), RENDERER, profile_of(KIND))
