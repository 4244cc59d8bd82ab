"""Access lists that go by a number: edited in place, or refused; no copy can stand in for a number."""

from __future__ import annotations

import pytest

from provisioning.errors import InvalidInput
from provisioning.pipeline.diff import diff_configs
from provisioning.pipeline.mqc import RunningConfig
from provisioning.pipeline.rendering import Renderer
from provisioning.selectors.templates import ios_environment
from tests.pipeline.practice import Oracle, profile_of

RENDERER = Renderer(ios_environment())
ONE, OTHER = "permit ip 198.51.100.0 0.0.0.255 any", "permit ip host 192.0.2.7 any"


def router(kind: str, *entries: str, number: int = 101, more: str = "") -> tuple[Oracle, RunningConfig]:
    oracle = Oracle(kind)
    text = "".join(f"access-list {number} {entry}\n" for entry in entries) + (
        f"class-map match-all EF\n match access-group {number}\n"
        "policy-map IN\n class EF\n  set dscp ef\n  police cir percent 5 conform-action transmit exceed-action drop\n"
        f"interface POS1/0\n service-policy input IN\n{more}"
    )
    assert oracle.send(text.splitlines()) == []
    return oracle, oracle.read()


@pytest.mark.parametrize("kind", ["7200-12.2T", "ios-xe"])
@pytest.mark.parametrize(
    ("number", "before", "after"),
    [(101, (ONE,), (OTHER,)), (101, (ONE,), (ONE, OTHER)), (2600, (OTHER, ONE), (ONE,)),
     (10, ("permit 198.51.100.0 0.0.0.255",), ("permit 192.0.2.0 0.0.0.255",))],
)  # fmt: skip
def test_a_router_takes_the_edit_and_the_way_back(kind, number, before, after):
    (oracle, running), (_, wanted) = (router(kind, *entries, number=number) for entries in (before, after))
    found = diff_configs(running, wanted, RENDERER, profile_of(kind))
    assert found.gaps == ()
    assert oracle.send(found.commands) == []
    assert diff_configs(oracle.read(), wanted, RENDERER, profile_of(kind)).empty
    assert {entry.text for entry in oracle.read().access_lists[f"{number}"].entries} == set(after)
    assert oracle.send(found.rollback) == []
    assert diff_configs(oracle.read(), running, RENDERER, profile_of(kind)).empty


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ((ONE, "deny ip any any"), (ONE, OTHER, "deny ip any any")),
        ((f"deny {OTHER[7:]}", ONE), (ONE,)),
    ],
    ids=["words, and a closing deny", "a deny before permits"],
)
def test_what_would_take_a_copy_is_refused(before, after):
    """A class that matches number 101 would go on to meet the old list."""
    running, wanted = router("ios-xe", *before)[1], router("ios-xe", *after)[1]
    with pytest.raises(InvalidInput, match=r"access-list 101 .* give it a name") as refused:
        diff_configs(running, wanted, RENDERER, profile_of("ios-xe"))
    assert refused.value.field == "access-list"


def test_what_somebody_else_uses_too_is_edited_and_said():
    users = "snmp-server community practice-r3ad RO 101\n"
    (oracle, running), (_, wanted) = router("ios-xe", ONE, more=users), router("ios-xe", OTHER)
    found = diff_configs(running, wanted, RENDERER, profile_of("ios-xe"))
    (said,) = found.warnings
    assert said.startswith("access-list 101 is used by `snmp-server community")
    assert "practice-r3ad" not in said
    assert oracle.send(found.commands) == []
    assert diff_configs(oracle.read(), wanted, RENDERER, profile_of("ios-xe")).empty
