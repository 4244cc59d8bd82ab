"""docs/reference/schemes.md says of every number of every scheme where it comes from, and says nothing else."""

from __future__ import annotations

import re
from collections.abc import Iterator
from decimal import Decimal, InvalidOperation
from pathlib import Path
from typing import Any

import pytest
import yaml

from provisioning.selectors.schemes import DIRECTORY, scheme_names

PAGE = (Path(__file__).resolve().parents[3] / "docs/reference/schemes.md").read_text(encoding="utf-8")
CITED = re.compile(r"(?:D4\.4\.2v2|GRNET|CTI|@IRS|Siris) (?:section \d|table [\dIVX]|figure \d|Appendix A)")
CHOICE = "our choice: "


def numbers(value: Any, path: str = "") -> Iterator[tuple[str, str]]:
    """(path, value) of every number; members of a list go by their name, class or DSCP, a list of numbers is one."""
    if isinstance(value, dict):
        for key, member in value.items():
            yield from numbers(member, f"{path}.{key}" if path else str(key))
    elif isinstance(value, list) and all(isinstance(member, int) for member in value):
        yield path, " ".join(str(member) for member in value)
    elif isinstance(value, list):
        for index, member in enumerate(value):
            keys = ("name", "class", "dscp") if path.endswith(".profiles") else ("name", "class")
            named = isinstance(member, dict)
            name = next((member[key] for key in keys if named and key in member), index)
            yield from numbers(member, f"{path}[{name}]")
    elif isinstance(value, int) and not isinstance(value, bool):
        yield path, str(value)
    elif isinstance(value, str) and path.endswith("percent"):
        yield path, value


def rows(scheme: str) -> dict[str, tuple[str, str]]:
    """Path -> (value, where it comes from), as the page's table of that scheme has it."""
    section = re.search(rf"^## `{scheme}`$(.*?)(?=^## |\Z)", PAGE, re.MULTILINE | re.DOTALL)
    assert section is not None, f"no section of {scheme}"
    found: dict[str, tuple[str, str]] = {}
    for line in section[1].splitlines():
        cells = [cell.strip() for cell in line.strip().strip("|").split("|")]
        if len(cells) == 3 and cells[0].startswith("`"):
            path = cells[0].strip("`")
            assert path not in found, f"{path} has two rows"
            found[path] = (cells[1], cells[2])
    return found


def data(scheme: str) -> dict[str, Any]:
    return yaml.safe_load((DIRECTORY / f"{scheme}.yaml").read_text(encoding="utf-8"))


@pytest.mark.parametrize("scheme", scheme_names())
def test_every_number_has_its_row_and_every_row_its_number(scheme: str) -> None:
    stated = {path: value for path, (value, _) in rows(scheme).items()}
    assert stated == dict(numbers(data(scheme)))


@pytest.mark.parametrize("scheme", scheme_names())
def test_every_row_cites_a_document_or_says_that_it_is_a_choice(scheme: str) -> None:
    for path, (_, source) in rows(scheme).items():
        assert source.startswith(CHOICE) or CITED.search(source), f"{path}: {source}"


@pytest.mark.parametrize("scheme", scheme_names())
def test_page_and_scheme_agree_on_what_is_a_choice(scheme: str) -> None:
    """A share, a class or a threshold carries its own provenance in the file."""
    known = rows(scheme)
    for path, marked in _marked(data(scheme)):
        for row, (_, source) in known.items():
            if row.startswith((f"{path}.", f"{path}[")) and _nearest(row, path, scheme):
                assert source.startswith(CHOICE) == marked, row


def _marked(value: Any, path: str = "") -> Iterator[tuple[str, bool]]:
    if isinstance(value, dict):
        if "source" in value or "choice" in value:
            yield path, "choice" in value
        for key, member in value.items():
            yield from _marked(member, f"{path}.{key}" if path else str(key))
    elif isinstance(value, list):
        for index, member in enumerate(value):
            name = member.get("name", index) if isinstance(member, dict) else index
            yield from _marked(member, f"{path}[{name}]")


def _nearest(row: str, path: str, scheme: str) -> bool:
    """Whether the row's number stands under this provenance, not under another one further inside."""
    return not any(
        other != path and other.startswith(path) and row.startswith((f"{other}.", f"{other}["))
        for other, _ in _marked(data(scheme))
    )


def test_a_number_that_moved_is_noticed() -> None:
    changed = data("6net")
    changed["pools"]["ip-premium"]["access"]["percent"] = 6
    assert dict(numbers(changed)) != {path: value for path, (value, _) in rows("6net").items()}
    with pytest.raises(InvalidOperation):
        Decimal("five")
