"""States followed line by line are those that each config has by itself."""

from __future__ import annotations

from random import Random

import pytest

from provisioning.pipeline import ios
from provisioning.pipeline.diff import diff_configs
from provisioning.pipeline.intent import Role
from provisioning.pipeline.rendering import Renderer
from provisioning.pipeline.safety import Interpreter, LineNotAccepted, interface_states, roles_of
from provisioning.pipeline.safety.entering import ALLOWED_DSCPS, PREMIUM
from provisioning.pipeline.safety.holdings import Holdings
from provisioning.pipeline.safety.interfaces import InterfaceStates
from provisioning.selectors.templates import ios_environment
from tests.pipeline.practice import KINDS, profile_of
from tests.pipeline.routers import holding, made
from tests.pipeline.safety.test_interpreter import OBJECTS, PORTS

RENDERER = Renderer(ios_environment())


@pytest.mark.parametrize("seed", range(8))
def test_what_is_followed_is_what_is_there(seed: int) -> None:
    rng, kind = Random(seed), sorted(KINDS)[seed % len(KINDS)]
    running, wanted = (holding(kind, made(rng))[1] for _ in range(2))
    roles, profile = roles_of(running, wanted), profile_of(kind)
    interpreter = Interpreter(running, profile)
    states = InterfaceStates(interpreter.held, roles, PREMIUM, ALLOWED_DSCPS)
    told = dict(states.now)
    assert told == interface_states(running, roles)
    lines = diff_configs(running, wanted, RENDERER, profile).commands
    for number, line in enumerate(lines):
        interpreter.execute(line.text)
        changed = states.follow()
        assert all(told[key] != state for key, state in changed.items())
        told |= changed
        if number % 5 == 0 or number == len(lines) - 1:
            assert told == states.now == interface_states(interpreter.config, roles)


BOUND = f"{OBJECTS}{PORTS}interface POS1/0\n service-policy input FILTERED-IN\n"
ROLES = {"POS1/0": Role.ACCESS, "POS2/0": Role.CORE}


@pytest.mark.parametrize(
    ("lines", "changed"),
    [
        (["policy-map TRUSTED-IN", "class EF", "police cir percent 4"], []),  # bound nowhere
        (["policy-map FILTERED-IN", "class EF-FILTERED", "police cir percent 4"], ["POS1/0"]),
        (["policy-map FILTERED-IN", "class EF-FILTERED", "police cir percent 5"], []),  # as it is already
        (["ipv6 access-list nren-auth-ef", "no sequence 10"], ["POS1/0"]),
        (["ipv6 access-list elsewhere", "permit ipv6 any any"], []),
        (["class-map match-all LBE", "match dscp 10"], []),  # match-all of two marks: nobody has both
        (["interface POS2/0", "service-policy output my_policy"], ["POS2/0"]),
        (["interface POS1/0", "service-policy input FILTERED-IN"], []),
        (["interface POS1/0", "no service-policy input FILTERED-IN"], ["POS1/0"]),
        (["interface ATM5/0.1", "pvc 0/32", "service-policy input TRUSTED-IN"], []),  # not managed
    ],
)
def test_a_line_changes_who_it_concerns(lines: list[str], changed: list[str]) -> None:
    interpreter = Interpreter(ios.parse(f"hostname r1\n{BOUND}"))
    states = InterfaceStates(interpreter.held, ROLES, PREMIUM, ALLOWED_DSCPS)
    for line in lines[:-1]:
        interpreter.execute(line)
        assert states.follow() == {}
    interpreter.execute(lines[-1])
    assert list(states.follow()) == changed
    assert states.follow() == {}


def test_holdings_stay_one_value_until_something_changes() -> None:
    config = ios.parse(f"hostname r1\n{BOUND}")
    held = Holdings(config)
    assert held.config is config
    held.bind(("POS1/0", None, "input"), "FILTERED-IN")
    assert held.config is config
    assert held.settle() == (frozenset(), frozenset())
    held.bind(("POS1/0", None, "input"), None)
    held.put(config.access_lists["nren-auth-ef"], "ipv6 nren-auth-ef")
    assert held.config.bindings == frozenset()
    assert held.config.access_lists.keys() == {"nren-auth-ef", "ipv6 nren-auth-ef"}
    assert held.config is held.config
    touched = {("access-list", "ipv6 nren-auth-ef")}
    assert held.settle() == (touched, {("POS1/0", None, "input")})


@pytest.mark.parametrize(
    ("kind", "words"),
    [("access-list", "access list"), ("class-map", "class-map"), ("policy-map", "policy-map")],
)
def test_what_is_not_there_cannot_go(kind: str, words: str) -> None:
    with pytest.raises(LineNotAccepted, match=f"there is no {words} NOWHERE"):
        Holdings(ios.parse(f"hostname r1\n{BOUND}")).drop(kind, "NOWHERE")
