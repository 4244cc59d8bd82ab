"""The page of rewrite rules against the fact sheet, the code that cites rules, and the tests it names."""

from __future__ import annotations

import importlib
import re
from pathlib import Path
from typing import NamedTuple

import pytest

ROOT = Path(__file__).resolve().parents[3]
_RULE = r"N[0-9]+b?"


class Row(NamedTuple):
    rule: str
    typed: str
    shown: str
    where: str
    tag: str
    compared: str
    test: str


def rows() -> list[Row]:
    page = (ROOT / "docs/reference/rewrite-rules.md").read_text()
    found = re.findall(rf"^\| ({_RULE}|1\.[0-9]) \|(.*)\|$", page, flags=re.MULTILINE)
    return [Row(rule, *(cell.strip() for cell in rest.split(" | "))) for rule, rest in found]


ROWS = rows()


def rules_of_the_sheet() -> set[str]:
    """N1 to N38 of the table, and the sections below it that hold rules too."""
    sheet = (ROOT / "docs/reference/ios-facts.md").read_text()
    section = sheet.split("## 1. NORMALISATION")[1].split("\n## 2.")[0]
    numbered = set(re.findall(rf"^\| ({_RULE}) ?\|", section, flags=re.MULTILINE))
    return numbered | set(re.findall(r"^### (1\.[2-9]) ", section, flags=re.MULTILINE))


def rules_of_the_code() -> set[str]:
    """Every rule that a source names, ranges such as N11-N13 spelled out."""
    found: set[str] = set()
    for folder in ("ios", "mqc"):
        for path in (ROOT / "provisioning/pipeline" / folder).glob("*.py"):
            text = path.read_text()
            found |= set(re.findall(rf"\b({_RULE})\b", text))
            for low, high in re.findall(r"\bN([0-9]+)-N([0-9]+)\b", text):
                found |= {f"N{number}" for number in range(int(low), int(high) + 1)}
    return found


def test_every_rule_has_one_row_and_none_is_invented() -> None:
    named = [row.rule for row in ROWS]
    assert len(named) == len(set(named))
    assert len(rules_of_the_sheet()) == 42
    assert set(named) == rules_of_the_sheet()


def test_every_rule_that_the_code_names_has_a_row() -> None:
    assert len(rules_of_the_code()) > 30
    assert rules_of_the_code() - {row.rule for row in ROWS} == set()


@pytest.mark.parametrize("row", ROWS, ids=[row.rule for row in ROWS])
def test_a_row_is_whole_and_its_test_exists(row: Row) -> None:
    assert all(row)
    assert re.search(r"\[[CLU]\]", row.tag)
    path, name = row.test.strip("`").split("::")
    module = importlib.import_module(path.removesuffix(".py").replace("/", "."))
    assert callable(getattr(module, name))
    assert name.startswith(f"test_{row.rule.lower().replace('.', '_')}_")
