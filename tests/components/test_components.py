"""The bill of materials says what requirements.txt and VENDORED.md say; a licence that nobody allowed is seen."""

from __future__ import annotations

import json
import re
from dataclasses import replace

import pytest
from cyclonedx.validation.json import JsonStrictValidator

from tests.components.bill import VERSION, as_json, bill_of
from tests.components.licences import listed, refused
from tests.components.parts import ROOT, Part, parts, rules


@pytest.fixture(scope="module")
def found() -> list[Part]:
    return parts()


def test_every_pin_and_every_vendored_file_is_a_part(found: list[Part]) -> None:
    pinned = set(
        re.findall(r"^([a-z0-9-]+)==([^ \\;]+)", (ROOT / "requirements.txt").read_text(), re.MULTILINE)
    )
    listed_here = {(part.name, part.version) for part in found if part.kind == "pypi"}
    # A pin with a marker of another Python is none of this host.
    assert listed_here <= pinned and len(pinned - listed_here) <= 2, pinned - listed_here
    assert all(part.archives for part in found if part.kind == "pypi")
    assert {part.name for part in found if part.kind == "npm"} == {
        "htmx.org",
        "@tabler/core",
        "@tabler/icons",
    }


def test_no_tool_of_development_is_a_part(found: list[Part]) -> None:
    assert {part.name for part in found}.isdisjoint(
        {"pytest", "hypothesis", "ruff", "mypy", "cyclonedx-python-lib", "schemathesis"}
    )


def test_the_bill_keeps_the_schema_of_its_standard(found: list[Part]) -> None:
    text = as_json(bill_of(found))
    assert JsonStrictValidator(VERSION).validate_str(text) is None
    bill = json.loads(text)
    assert len(bill["components"]) == len(found)
    known = {each["bom-ref"] for each in bill["components"]} | {"expedite"}
    assert {each["ref"] for each in bill["dependencies"]} <= known
    assert bill["serialNumber"] == json.loads(as_json(bill_of(found)))["serialNumber"], (
        "the same parts, the same number"
    )
    # Everything is needed by something, down from the application.
    needs = {each["ref"]: each.get("dependsOn", []) for each in bill["dependencies"]}
    reached, waiting = set(), ["expedite"]
    while waiting:
        name = waiting.pop()
        if name not in reached:
            reached.add(name)
            waiting += needs.get(name, [])
    assert reached == known, known - reached


def test_every_licence_is_one_that_is_allowed(found: list[Part]) -> None:
    assert {part.name: refused(part) for part in found if refused(part)} == {}
    assert all(part.name in listed(found) for part in found)


@pytest.mark.parametrize(
    "licence",
    (
        "AGPL-3.0-only",
        "GPL-3.0-only",
        "Proprietary",
        "MIT AND AGPL-3.0-only",
        "",
        "see the file",
        "MIT OR",
        "BUSL-1.1",
    ),
)
def test_a_licence_that_nobody_allowed_is_seen(found: list[Part], licence: str) -> None:
    assert refused(replace(found[0], licence=licence))


@pytest.mark.parametrize(
    "licence", ("MIT", "EPL-2.0 OR GPL-2.0-or-later", "AGPL-3.0-only OR MIT", "(MIT AND BSD-3-Clause)")
)
def test_one_of_several_to_choose_from_is_enough(found: list[Part], licence: str) -> None:
    assert not refused(replace(found[0], licence=licence))


def test_nothing_is_allowed_or_explained_that_is_not_here(found: list[Part]) -> None:
    names = {part.name for part in found}
    assert set(rules()["packages"]) | set(rules()["inside"]) <= names
