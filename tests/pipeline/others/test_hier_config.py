"""What hier_config 3.7 makes of MQC, and what ours makes of the same; carried out on a practice router where it matters.

The outputs are files beside the cases and stand on docs/explanation/why-not-the-others.md. EXPEDITE_UPDATE=1 rewrites
both: a new release of theirs that mends one of these is a reason to rewrite the page, not to hide it.
"""

from __future__ import annotations

import os

import pytest

from provisioning.pipeline import ios
from provisioning.pipeline.mqc import RunningConfig
from tests.pipeline.others.engines import CASES, KIND, NAMES, given, ours, remediation, theirs
from tests.pipeline.practice import Oracle, profile_of


def carried_out(case: str, commands: str) -> tuple[list[tuple[str, str]], list[RunningConfig]]:
    """What a practice router that holds the running text answers to each command, and what it holds after each."""
    router = Oracle(KIND, given(case)[0])
    session = router.device.open_session(privilege=15)
    session.execute("configure terminal")
    answers, states = [], []
    for line in commands.splitlines():
        reply = session.execute(line).strip()
        answers += [(line.strip(), reply)] if reply else []
        states.append(router.read())
    return answers, states


@pytest.mark.parametrize("case", NAMES)
def test_the_outputs_are_as_written(case: str) -> None:
    for name, text in (("theirs.ios", theirs(case)), ("ours.ios", ours(case))):
        if os.environ.get("EXPEDITE_UPDATE"):
            (CASES / case / name).write_text(text)
        assert (CASES / case / name).read_text() == text


@pytest.mark.parametrize("case", ["names-of-numbers", "shapes-of-a-policer"])
def test_a_spelling_is_a_difference_to_theirs(case: str) -> None:
    running, intended = (ios.parse(text, profile_of(KIND)) for text in given(case))
    assert running == intended
    assert theirs(case) != ""
    assert ours(case) == ""


def test_the_spelling_costs_a_moment_without_a_policer() -> None:
    assert "no police cir percent 5" in theirs("shapes-of-a-policer")


def test_swapped_classes_are_no_difference_to_theirs() -> None:
    """Packets of both classes are policed as EF before, and only marked down after: another meaning."""
    running, intended = (ios.parse(text, profile_of(KIND)) for text in given("swapped-classes"))
    assert running.policy_maps["TRUSTED-IN"] != intended.policy_maps["TRUSTED-IN"]
    assert theirs("swapped-classes") == ""
    found = remediation("swapped-classes")
    (name,) = found.result.policy_maps
    assert found.result.policy_maps[name].classes == intended.policy_maps["TRUSTED-IN"].classes
    assert found.gaps


def unpoliced(states: list[RunningConfig]) -> list[bool]:
    found = []
    for state in states:
        entry = state.policy_maps["TRUSTED-IN"].find("EF")
        found.append(entry is None or entry.police is None)
    return found


def test_a_lower_rate_leaves_ef_unpoliced_for_a_line_with_theirs() -> None:
    answers, states = carried_out("a-lower-rate", theirs("a-lower-rate"))
    assert answers == []
    assert True in unpoliced(states)
    answers, states = carried_out("a-lower-rate", ours("a-lower-rate"))
    assert answers == []
    assert True not in unpoliced(states)


def test_everything_off_begins_with_what_is_in_use_with_theirs() -> None:
    answers, states = carried_out("everything-off", theirs("everything-off"))
    assert answers[0] == ("no class-map match-all EF", "% Class-map EF is being used")
    assert "EF" in states[-1].class_maps
    answers, states = carried_out("everything-off", ours("everything-off"))
    assert answers == []
    assert (states[-1].class_maps, states[-1].policy_maps, states[-1].bindings) == ({}, {}, frozenset())


def test_an_intent_of_qos_only_removes_the_rest_with_theirs() -> None:
    for line in ("no hostname uk6", "no router bgp 65000", "no ip address 192.0.2.2 255.255.255.252"):
        assert line in theirs("an-intent-of-qos-only")
        assert line not in ours("an-intent-of-qos-only")
    assert "no " not in ours("an-intent-of-qos-only")


def permitted(states: list[RunningConfig], source: str) -> list[bool]:
    return [
        any(source in entry.text for entry in state.access_lists["nren-auth-ef"].entries)
        if "nren-auth-ef" in state.access_lists
        else False
        for state in states
    ]


@pytest.mark.parametrize("source", ["2001:db8:a::/48", "2001:db8:b::/48"])
def test_a_narrower_entry_cuts_sources_off_with_theirs(source: str) -> None:
    """Also the source whose entry is the same but for the case of its letters."""
    _, states = carried_out("a-narrower-entry", theirs("a-narrower-entry"))
    assert False in permitted(states, source)
    answers, states = carried_out("a-narrower-entry", ours("a-narrower-entry"))
    assert answers == []
    assert False not in permitted(states, source)
