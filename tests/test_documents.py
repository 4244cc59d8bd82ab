"""The documentation is checked against what it describes."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from lab.faults import KINDS
from lab.trains import SWITCHES
from provisioning.pipeline.states import REQUEST_TRANSITIONS, PushState, RequestState, Stage

ROOT = Path(__file__).resolve().parent.parent
DOCS = ROOT / "docs"


def page(name: str) -> str:
    return (DOCS / name).read_text()


def test_every_setting_is_described_and_none_is_invented() -> None:
    source = (ROOT / "provisioning/settings.py").read_text()
    read = set(re.findall(r'env(?:\.\w+)?\(\s*"([A-Z_]+)"', source)) | {"EXPEDITE_ENV_FILE"}
    described = set(re.findall(r"`([A-Z][A-Z_]+)`", page("reference/settings.md"))) - {"NAME", "NAME_FILE"}
    assert read == described


def documented_request_transitions() -> dict[str, set[str]]:
    block = page("reference/states.md").split("```text\n")[1].split("```")[0]
    found: dict[str, set[str]] = {state.value: set() for state in RequestState}
    for line in block.splitlines():
        before, arrow, after = re.split(r"(-+>)", line, maxsplit=1)
        targets = re.match(r"[A-Z_, ]+", after.strip() + " ")
        assert arrow and targets
        for state in before.split(","):
            found[state.strip()] |= {name.strip() for name in targets[0].split(",") if len(name.strip()) > 1}
    return found


def test_the_states_of_a_request_are_those_of_the_page() -> None:
    table = {
        state.value: {after.value for after in following} for state, following in REQUEST_TRANSITIONS.items()
    }
    assert documented_request_transitions() == table


def rows_under(heading: str) -> list[str]:
    """The first column of the table under a heading of the page of states."""
    part = page("reference/states.md").split(f"## {heading}")[1].split("\n## ")[0]
    return re.findall(r"^\| ([A-Z_]+) \|", part, flags=re.MULTILINE)


def test_the_states_of_a_push_are_those_of_the_page() -> None:
    assert sorted(rows_under("The deployment")) == sorted(state.value for state in PushState)


def test_the_stages_of_a_request_are_those_of_the_page_in_their_order() -> None:
    assert rows_under("One line") == [stage.value for stage in Stage]


def test_every_command_is_described_and_none_is_invented() -> None:
    commands = {path.stem for path in (ROOT / "provisioning/management/commands").glob("*.py")} - {"__init__"}
    described = set(re.findall(r"^## `([a-z_]+)", page("reference/commands.md"), flags=re.MULTILINE))
    assert commands == described


def test_every_make_target_of_the_readme_exists() -> None:
    targets = set(re.findall(r"^([a-z]+):.*## ", (ROOT / "Makefile").read_text(), flags=re.MULTILINE))
    named = set(re.findall(r"`?make ([a-z]+)", (ROOT / "README.md").read_text()))
    assert named and named <= targets


@pytest.mark.parametrize(
    "path", sorted(DOCS.rglob("*.md")), ids=lambda path: path.relative_to(DOCS).as_posix()
)
def test_no_link_leads_nowhere(path: Path) -> None:
    for target in re.findall(r"\]\((?!https?:|mailto:|#)([^)#]+)", path.read_text()):
        assert (path.parent / target).resolve().exists(), f"{path.name} links to {target}"


def test_every_switch_of_the_practice_routers_is_described() -> None:
    table = page("reference/practice-routers.md").split("## Switches")[1]
    described = {
        name
        for row in re.findall(r"^\| (`.*?) \|", table, flags=re.MULTILINE)
        for name in re.findall(r"`(\w+)`", row)
    }
    assert described == set(SWITCHES)


def test_every_fault_of_the_practice_routers_is_described() -> None:
    table = page("reference/practice-routers.md").split("## Faults")[1].split("\n## ")[0]
    rows = re.findall(r"^\| (`.*?) \|", table, flags=re.MULTILINE)
    described = {word.split()[0] for row in rows for word in re.findall(r"`([^`]+)`", row)}
    assert described == (KINDS.keys() - {"drop"}) | {"drop-before", "drop-after"}


def test_every_promise_that_the_code_quotes_stands_in_the_architecture() -> None:
    text = " ".join(page("explanation/architecture.md").split()).casefold()
    cited = {
        " ".join(quote.split())
        for folder in ("provisioning", "inventory")
        for path in (ROOT / folder).rglob("*.py")
        for quote in re.findall(r'\(architecture(?:\.md)?,\s+"([^"]+)"\)', path.read_text())
    }
    assert cited, "no source quotes the architecture: the test would pass on nothing"
    assert {quote for quote in cited if quote.casefold() not in text} == set()


def test_every_fact_about_ios_that_the_code_cites_is_on_the_sheet() -> None:
    sheet = page("reference/ios-facts.md")
    cited = {
        number
        for folder in ("provisioning", "inventory", "lab")
        for path in (ROOT / folder).rglob("*.py")
        for number in re.findall(r"ios-facts (N[0-9]+b?|[0-9]+\.[0-9]+)\b", path.read_text())
    }
    assert len(cited) > 40
    assert {number for number in cited if not re.search(rf"\b{re.escape(number)}\b", sheet)} == set()


def test_every_picture_is_taken_by_a_test_and_shown_in_a_document() -> None:
    walks = "".join(path.read_text() for path in (ROOT / "tests/e2e").glob("test_*.py"))
    taken = set(re.findall(r'picture\((?:hand\.)?page, "([a-z-]+)"[,)]', walks))
    shown = {
        name
        for path in DOCS.rglob("*.md")
        if "_build" not in path.parts
        for name in re.findall(r"!\[[^\]]+\]\(\.\./pictures/([a-z-]+)\.png\)", path.read_text())
    }
    assert taken == shown == {path.stem for path in (DOCS / "pictures").glob("*")}
