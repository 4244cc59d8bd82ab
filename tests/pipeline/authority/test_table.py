"""The table says for every verb who may; the page is the table; the roles of before stand for the ones of today."""

from __future__ import annotations

import os
import re
from pathlib import Path

import pytest

from provisioning.pipeline.authority import (
    ROLES,
    TABLE,
    Role,
    Verb,
    Whose,
    conflicts,
    expand,
    may,
    spoken,
)
from tests.pipeline.authority.page import tables

PAGE = Path(__file__).resolve().parents[3] / "docs" / "reference" / "authority.md"


def test_the_page_is_the_table() -> None:
    """`GOLDEN_UPDATE=1` writes it anew."""
    text = PAGE.read_text()
    wanted = text
    for name, block in tables().items():
        marked = re.compile(rf"(<!-- {name} -->\n).*?(\n<!-- end -->)", re.DOTALL)
        assert marked.search(wanted), f"the page has no place for {name}"
        wanted = marked.sub(lambda found, block=block: f"{found[1]}{block}{found[2]}", wanted)
    if os.environ.get("GOLDEN_UPDATE"):
        PAGE.write_text(wanted)
    assert PAGE.read_text() == wanted


def test_every_verb_has_a_row_and_somebody_who_may() -> None:
    assert set(TABLE) == set(Verb)
    assert all(len(row.whose) == len(ROLES) and row.roles for row in TABLE.values())
    assert all(row.deed and row.means for row in TABLE.values())


def test_auditors_readers_and_administrators_decide_and_send_nothing() -> None:
    looking = {
        Verb.LOOK,
        Verb.SEE_REQUESTS,
        Verb.SEE_USAGE,
        Verb.SEE_OWN,
        Verb.SEE_BACKBONE,
        Verb.CHECK_TRAIL,
        Verb.TOKENS,
    }
    assert {verb for verb in Verb if may([Role.AUDITOR], verb)} == looking - {Verb.SEE_OWN}
    assert {verb for verb in Verb if may([Role.READER], verb)} == looking - {
        Verb.SEE_BACKBONE,
        Verb.CHECK_TRAIL,
    }
    for verb in (Verb.DECIDE, Verb.APPROVE, Verb.RELEASE, Verb.PLAN, Verb.ASK, Verb.MEND):
        assert not may([Role.ADMINISTRATOR], verb)


def test_whoever_plans_is_not_by_that_whoever_approves() -> None:
    assert not {Role.OPERATOR} & (
        TABLE[Verb.APPROVE].roles | TABLE[Verb.DECIDE].roles | TABLE[Verb.RELEASE].roles
    )
    assert not {Role.APPROVER} & (TABLE[Verb.PLAN].roles | TABLE[Verb.ASK].roles | TABLE[Verb.MEND].roles)
    apart = {verb for verb, row in TABLE.items() if row.apart}
    assert apart == {Verb.DECIDE, Verb.APPROVE_LINES, Verb.APPROVE, Verb.QUOTA}


def test_nobody_of_an_nren_may_do_anything_to_anothers() -> None:
    for verb in Verb:
        for role in (Role.READER, Role.NREN):
            if TABLE[verb].of(role) not in (Whose.ALL, Whose.NONE):
                assert not may([role], verb, sent=False, received=False), verb


@pytest.mark.parametrize(
    ("verb", "sent", "received", "fine"),
    [
        (Verb.ASK, True, False, True),
        (Verb.ASK, False, True, False),
        (Verb.ANSWER, True, False, False),
        (Verb.ANSWER, False, True, True),
        (Verb.SEE_REQUESTS, False, True, True),
        (Verb.END, False, True, False),
    ],
)
def test_an_engineer_of_an_nren_does_what_is_its_side_of_it(
    verb: Verb, sent: bool, received: bool, fine: bool
) -> None:
    assert may([Role.NREN], verb, sent=sent, received=received) is fine


def test_noc_stands_for_both_of_its_roles_and_is_nobodys_role() -> None:
    assert expand([Role.NOC, Role.NREN]) == {Role.OPERATOR, Role.APPROVER, Role.NREN}
    assert not any(may([Role.NOC], verb) for verb in Verb)
    assert Role.NOC not in ROLES


def test_what_conflicts_is_said_for_the_names_of_before_too() -> None:
    (said, other) = conflicts([Role.NOC, Role.AUDITOR])
    assert "auditor and noc-operator" in said and "auditor and noc-approver" in other
    assert conflicts([Role.NOC, Role.NREN]) == ()


def test_the_sentences_name_the_roles() -> None:
    assert TABLE[Verb.PAUSE].refusal == "Only the NOC pauses a change or lets it go on."
    assert TABLE[Verb.APPROVE].refusal == "Only an approver of the NOC approves a change."
    assert (
        TABLE[Verb.ANSWER].refusal_with == "Only the NREN that receives answers for the NREN that receives."
    )
    assert spoken([]) == "nobody"
