"""Every scheme on every platform: what is rendered, that the router takes it line by line, and the way back.

The golden files under ``rendered`` are whole configurations, to be read as an engineer of that project would have
typed them; ``GOLDEN_UPDATE=1`` writes them anew: read the difference before committing it.
"""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from provisioning.pipeline.change import ChangePlan, Circumstances, build_plans
from provisioning.pipeline.diff import Owned
from provisioning.pipeline.intent import RouterIntent, removal
from provisioning.pipeline.mqc import RunningConfig
from provisioning.pipeline.rendering import Renderer
from provisioning.pipeline.safety import open_edges
from provisioning.pipeline.safety.packets import Packet, fates
from provisioning.pipeline.verification import InSync, verify
from provisioning.selectors.schemes import scheme_names
from provisioning.selectors.templates import ios_environment
from tests.pipeline.practice import KINDS, profile_of
from tests.pipeline.scheme.domains import BANDWIDTHS, RESERVED, Bench, wanted

RENDERER = Renderer(ios_environment())
CIRCUMSTANCES = Circumstances("TBM1", "ssh-rsa AAAA", "rev", "scheme", "templates", BANDWIDTHS)
GOLDEN = Path(__file__).parent / "rendered"
CASES = [(scheme, kind) for scheme in sorted(RESERVED) for kind in sorted(KINDS)]
OPTIONS = [
    ("6net", "core_lbe_guarantee"), ("6net", "access_output"), ("6net", "exempt_routing"), ("cti", "higher_thresholds"),
    ("cti", "without_wred"),
]  # fmt: skip


def plans(running: RunningConfig, aim: RouterIntent, kind: str, owned: Owned) -> tuple[ChangePlan, ...]:
    return build_plans("r1", running, aim, owned, RENDERER, profile_of(kind), CIRCUMSTANCES)


def owned_after(made: tuple[ChangePlan, ...], before: Owned) -> Owned:
    rows = {tuple(key.split(" ", 1)): digest for plan in made for key, digest in plan.owned_after.items()}
    return Owned(rows) if rows else before


def test_every_scheme_that_ships_is_tried() -> None:
    assert sorted(RESERVED) == list(scheme_names())


def rendered(aim: RouterIntent, kind: str) -> str:
    """The configuration as a person reads it: the objects, then what is bound where, then what a plan says."""
    text = RENDERER.document([*aim.objects(), *sorted(aim.bindings, key=repr)], profile_of(kind))
    return text + "".join(f"! {warning}\n" for warning in aim.warnings)


@pytest.mark.parametrize(("scheme", "kind"), CASES)
def test_what_is_rendered_is_the_golden_text(scheme: str, kind: str) -> None:
    file = GOLDEN / f"{scheme}-{kind}.ios"
    text = rendered(wanted(scheme, kind), kind)
    if os.environ.get("GOLDEN_UPDATE") == "1":
        file.write_text(text, encoding="utf-8")
    assert text == file.read_text(encoding="utf-8")


@pytest.mark.parametrize(("scheme", "kind"), CASES)
def test_a_router_takes_it_and_gives_it_back(scheme: str, kind: str) -> None:
    """Baseline, reservations, withdrawal, removal: every line proven safe, taken without a word, seen as intended."""
    bench = Bench(kind)
    bare = bench.read()
    owned = Owned()
    baseline, full = wanted(scheme, kind, reserved=False), wanted(scheme, kind)
    for aim in (baseline, full, baseline, removal(full)):
        made = plans(bench.read(), aim, kind, owned)
        for plan in made:
            assert plan.violations == (), plan.violations
            assert not plan.conflicts
            assert bench.type([line.text for line in plan.commands]) == []
        owned = owned_after(made, owned)
        seen = verify(bench.read(), aim, owned, RENDERER, profile_of(kind))
        assert isinstance(seen, InSync), seen
    assert bench.read().bindings == bare.bindings
    assert bench.read().policy_maps == bare.policy_maps


@pytest.mark.parametrize(
    ("old", "new"), [("6net", "grnet"), ("grnet", "6net"), ("6net", "cti"), ("cti", "6net")]
)
@pytest.mark.parametrize("kind", ["12000", "7200-hqf"])
def test_a_scheme_is_changed_on_a_live_router_like_anything_else(old: str, new: str, kind: str) -> None:
    """The old scheme's objects go with the plan that brings the new one's; every line is safe and taken."""
    bench = Bench(kind)
    owned = Owned()
    for scheme in (old, new):
        aim = wanted(scheme, kind, reserved=False)
        for plan in (made := plans(bench.read(), aim, kind, owned)):
            assert plan.violations == (), plan.violations
            assert not plan.conflicts
            assert bench.type([line.text for line in plan.commands]) == []
        owned = owned_after(made, owned)
        assert isinstance(verify(bench.read(), aim, owned, RENDERER, profile_of(kind)), InSync)
    names = {thing.name for thing in wanted(new, kind, reserved=False).policy_maps}
    assert set(bench.read().policy_maps) == names


@pytest.mark.parametrize(("scheme", "option"), OPTIONS)
@pytest.mark.parametrize("kind", sorted(KINDS))
def test_an_option_is_switched_on_and_off_on_a_live_router(scheme: str, option: str, kind: str) -> None:
    """What it renders is a golden text of its own; every line of the way there and back is safe and taken."""
    off, on = wanted(scheme, kind), wanted(scheme, kind, **{option: True})
    file = GOLDEN / f"{scheme}-{option.replace('_', '-')}-{kind}.ios"
    if os.environ.get("GOLDEN_UPDATE") == "1":
        file.write_text(rendered(on, kind), encoding="utf-8")
    assert rendered(on, kind) == file.read_text(encoding="utf-8")
    bench = Bench(kind)
    owned = Owned()
    for aim in (off, on, off):
        for plan in (made := plans(bench.read(), aim, kind, owned)):
            assert plan.violations == (), plan.violations
            assert bench.type([line.text for line in plan.commands]) == []
        owned = owned_after(made, owned)
        assert isinstance(verify(bench.read(), aim, owned, RENDERER, profile_of(kind)), InSync)


@pytest.mark.parametrize("kind", sorted(KINDS))
def test_an_exempted_neighbour_is_not_warned_of(kind: str) -> None:
    """Without the option class-default remarks each neighbour's CS6, and the plan says so; with it none is left out, be it
    an NREN's link, one that does not participate, or a peering (ios-facts 5.4).
    """
    said = {
        exempt: [
            text.partition(":")[0]
            for plan in plans(Bench(kind).read(), wanted("6net", kind, exempt_routing=exempt), kind, Owned())
            for text in plan.warnings
            if "routing packets of the neighbour" in text
        ]
        for exempt in (False, True)
    }
    assert said == {False: ["GigabitEthernet3/0.6", "POS1/0", "POS1/1", "POS2/1"], True: []}


def test_a_bare_cs6_is_never_let_in_though_the_exemption_is_on() -> None:
    """The same policy without its access list: whoever sends CS6 would have it kept, and the edge is open."""
    bench = Bench("12000")
    aim = wanted("6net", "12000", exempt_routing=True)
    for plan in plans(bench.read(), aim, "12000", Owned()):
        bench.type([line.text for line in plan.commands])
    rules = {"premium": aim.markings.premium, "allowed": aim.markings.allowed}
    assert open_edges(bench.read(), aim.roles, **rules) == ()
    bench.type(["class-map match-all ROUTING-L4", "no match access-group name routing-peer-L4"])
    assert [edge.interface for edge in open_edges(bench.read(), aim.roles, **rules)] == ["POS2/1"]


@pytest.mark.parametrize("kind", sorted(KINDS))
def test_an_exemption_is_of_the_links_own_addresses_only(kind: str) -> None:
    """What a router lets in with CS6 is what its own neighbour sends to it, policed; a stranger's CS6 becomes 0."""
    bench = Bench(kind)
    aim = wanted("6net", kind, exempt_routing=True)
    for plan in plans(bench.read(), aim, kind, Owned()):
        assert bench.type([line.text for line in plan.commands]) == []
    held = bench.read()
    for bound in (each for each in held.bindings if each.direction == "input"):
        policy = held.policy_maps[bound.policy]
        lists = [
            name
            for entry in policy.classes
            if (found := held.class_maps.get(entry.name)) is not None and entry.name.startswith("ROUTING")
            for name in found.access_lists
        ]
        assert len(lists) == 1, bound
        stranger = {fate.dscp for each in (4, 6) for fate in fates(held, policy, Packet(each, 48))}
        family = 4 if bound.interface == "POS2/1" else 6
        own = set(fates(held, policy, Packet(family, 48, frozenset({lists[0]}))))
        assert stranger == {0}
        assert {(fate.dscp, fate.policer) for fate in own} == {(48, "64000 bps"), (0, None)}
