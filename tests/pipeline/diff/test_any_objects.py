"""The same properties for objects of any kind, named by the intent and owned by nobody (`mqc diff`)."""

from __future__ import annotations

import dataclasses
from decimal import Decimal

from hypothesis import given
from hypothesis import strategies as st

from provisioning.pipeline.diff import Remediation, diff_configs
from provisioning.pipeline.diff.compare import same
from provisioning.pipeline.diff.store import store_of
from provisioning.pipeline.mqc import (
    AccessEntry,
    AccessList,
    Bandwidth,
    Binding,
    Bps,
    BurstBytes,
    BurstMs,
    ChildPolicy,
    ClassMap,
    InterfaceState,
    Match,
    Percent,
    Police,
    PolicyClass,
    PolicyMap,
    Priority,
    RandomDetect,
    RunningConfig,
    SetField,
    Shape,
)
from provisioning.pipeline.rendering import Renderer
from provisioning.pipeline.safety import simulate
from provisioning.selectors.templates import ios_environment
from tests.pipeline.properties import OF_ROUTERS

RENDERER = Renderer(ios_environment())
LISTS, CLASSES, POLICIES = (
    ("acl-a", "acl-a-2"),
    ("CLASS-A", "CLASS-A-2", "CLASS-B"),
    ("POLICY-A", "POLICY-A-2", "POLICY-B"),
)
"""Some read like versions of others. Without ownership rows none is."""
PLACES = (("POS1/0", "input"), ("POS1/0", "output"), ("POS1/1", "input"))
INTERFACES = {name: InterfaceState(name, has_address=True) for name in ("POS1/0", "POS1/1")}

texts = st.sampled_from(
    [
        f"{action} ipv6 {source} any"
        for action in ("permit", "permit", "permit", "deny")
        for source in ("2001:db8:a::/48", "2001:db8:b::/48", "2001:db8:c::/48", "any")
    ]
)
dscps = st.sampled_from([0, 8, 10, 46])


@st.composite
def access_lists(draw: st.DrawFn, name: str) -> AccessList:
    entries = draw(st.lists(texts, min_size=1, max_size=4, unique=True))
    numbers = draw(st.lists(st.integers(1, 60), min_size=len(entries), max_size=len(entries), unique=True))
    return AccessList(
        name,
        6,
        tuple(AccessEntry(number, text) for number, text in zip(sorted(numbers), entries, strict=True)),
    )


@st.composite
def class_maps(draw: st.DrawFn, name: str, lists: tuple[str, ...]) -> ClassMap:
    matches = [
        st.builds(lambda value, negated: Match("dscp", frozenset({value}), negated), dscps, st.booleans()),
        st.just(Match("any")),
    ]
    if lists:
        matches.append(st.sampled_from(lists).map(lambda each: Match("access-group", frozenset({each}))))
    return ClassMap(
        name,
        draw(st.sampled_from(["match-all", "match-any"])),
        frozenset(draw(st.lists(st.one_of(matches), min_size=1, max_size=2))),
        draw(st.sampled_from(["", "", "a note"])),
    )


rates = st.sampled_from([Percent(Decimal(5)), Percent(Decimal(7)), Bps(2_000_000), Bps(64_000)])
actions = st.lists(
    st.one_of(
        rates.map(Police),
        st.just(Police(Percent(Decimal(1)), exceed=("transmit",))),
        dscps.map(lambda value: SetField("dscp", value)),
        st.just(SetField("cos", 3)),
        st.just(Priority("percent", Decimal(20))),
        st.just(Bandwidth("percent", Decimal(10))),
        st.just(Shape("average", Bps(1_000_000))),
        st.just(RandomDetect("dscp")),
    ),
    min_size=1,
    max_size=3,
    unique_by=lambda action: (type(action), getattr(action, "field", "")),
)


@st.composite
def policy_maps(draw: st.DrawFn, name: str, classes: tuple[str, ...], children: tuple[str, ...]) -> PolicyMap:
    names = draw(st.lists(st.sampled_from([*classes, "class-default"]), unique=True, max_size=3))
    entries = []
    for each in names:
        held = draw(actions)
        if children and draw(st.booleans()):
            held.append(ChildPolicy(draw(st.sampled_from(children))))
        entries.append(PolicyClass(each, frozenset(held)))
    return PolicyMap(name, tuple(entries), draw(st.sampled_from(["", "", "a note"])))


@st.composite
def configs(draw: st.DrawFn) -> RunningConfig:
    """A consistent config: nothing refers to what is not there."""
    lists = {name: draw(access_lists(name)) for name in LISTS if draw(st.booleans())}
    classes = {name: draw(class_maps(name, tuple(lists))) for name in CLASSES if draw(st.booleans())}
    policies: dict[str, PolicyMap] = {}
    for name in POLICIES:
        if draw(st.booleans()):
            policies[name] = draw(policy_maps(name, tuple(classes), tuple(policies)))
    bindings = {
        Binding(interface, None, direction, draw(st.sampled_from(sorted(policies))))
        for interface, direction in PLACES
        if policies and draw(st.booleans())
    }
    return RunningConfig(
        access_lists=lists,
        class_maps=classes,
        policy_maps=policies,
        interfaces=INTERFACES,
        bindings=frozenset(bindings),
    )


def end(running: RunningConfig, lines) -> RunningConfig:
    states = simulate(running, lines)
    return states[-1] if states else running


def reached(config: RunningConfig, wanted: RunningConfig) -> None:
    """Every wanted object is there under its name with the wanted meaning, and every wanted place has its policy."""
    again = diff_configs(config, wanted, RENDERER)
    assert again.commands == ()
    assert again.conflicts == ()
    for binding in wanted.bindings:
        assert config.bound(binding.interface, binding.direction) == binding.policy
    there = store_of(config)
    assert all(same(there[key], thing) for key, thing in store_of(wanted).items())


@OF_ROUTERS
@given(running=configs(), wanted=configs(), share=st.integers(0, 99))
def test_goal_and_rollback_from_anywhere(running, wanted, share):
    assert diff_configs(running, running, RENDERER).commands == ()
    found = diff_configs(running, wanted, RENDERER)
    assert found.conflicts == ()
    states = (running, *simulate(running, found.commands))
    assert states[-1] == found.result
    reached(found.result, wanted)
    assert end(found.result, found.rollback) == running
    what_is_not_named_stays(running, wanted, found.result)
    gaps_are_few(running, found)
    middle = states[len(found.commands) * share // 100]
    again = diff_configs(middle, wanted, RENDERER)
    assert again.conflicts == ()
    assert end(middle, again.commands) == again.result
    reached(again.result, wanted)


@OF_ROUTERS
@given(running=configs(), wanted=configs())
def test_exact_is_all_there_is_in_the_end(running, wanted):
    found = diff_configs(running, wanted, RENDERER, exact=True)
    assert found.conflicts == ()
    assert end(running, found.commands) == found.result
    there, named = store_of(found.result), store_of(wanted)
    assert there.keys() == named.keys() and all(same(there[key], thing) for key, thing in named.items())
    assert found.result.bindings == wanted.bindings
    assert diff_configs(found.result, wanted, RENDERER, exact=True).commands == ()
    assert end(found.result, found.rollback) == running
    gaps_are_few(running, found)


@OF_ROUTERS
@given(running=configs(), wanted=configs(), owned=st.frozensets(st.sampled_from(sorted(INTERFACES))))
def test_what_an_interface_of_the_intent_is_not_bound_to_goes(running, wanted, owned):
    found = diff_configs(running, wanted, RENDERER, owned=owned)
    assert end(running, found.commands) == found.result
    for name, direction in PLACES:
        held = running.bound(name, direction) if name not in owned else None
        assert found.result.bound(name, direction) == (wanted.bound(name, direction) or held)
    assert diff_configs(found.result, wanted, RENDERER, owned=owned).commands == ()
    assert end(found.result, found.rollback) == running


def what_is_not_named_stays(running: RunningConfig, wanted: RunningConfig, result: RunningConfig) -> None:
    """And nothing is left that was there for a moment only."""
    before, after, named = store_of(running), store_of(result), store_of(wanted)
    assert after.keys() == before.keys() | named.keys()
    assert all(after[key] == held for key, held in before.items() if key not in named)
    places = {(each.interface, each.direction) for each in wanted.bindings}
    assert {each for each in result.bindings if (each.interface, each.direction) not in places} == {
        each for each in running.bindings if (each.interface, each.direction) not in places
    }
    assert result.interfaces == running.interfaces


def gaps_are_few(running: RunningConfig, found: Remediation) -> None:
    """A place is swapped once, and a second time from the copy of its policy to the policy itself; filled, it has no gap
    but that.
    """
    for place in {(gap.interface, gap.direction) for gap in found.gaps}:
        swaps = [(gap.old, gap.new) for gap in found.gaps if (gap.interface, gap.direction) == place]
        old, new = running.bound(*place), found.result.bound(*place)
        assert old is not None
        assert new is not None
        if len(swaps) == 1:
            assert swaps == [(old, new)]
        else:
            copy = swaps[0][1]
            assert swaps == [(old, copy), (copy, new)]
            assert copy not in found.result.policy_maps


@OF_ROUTERS
@given(
    running=configs(),
    rate=st.integers(1, 100),
    burst=st.none() | st.integers(1_000, 512_000_000).map(BurstBytes) | st.integers(1, 2_000).map(BurstMs),
)
def test_a_changed_rate_and_bucket_are_one_police_line(running, rate, burst):
    for name, policy in running.policy_maps.items():
        for entry in policy.classes:
            if entry.police is None or entry.police.rate == Percent(Decimal(rate)):
                continue
            policer = dataclasses.replace(entry.police, rate=Percent(Decimal(rate)), burst=burst)
            changed = PolicyClass(entry.name, entry.actions - {entry.police} | {policer})
            classes = tuple(changed if each is entry else each for each in policy.classes)
            wanted = dataclasses.replace(
                running,
                policy_maps={**running.policy_maps, name: dataclasses.replace(policy, classes=classes)},
            )
            found = diff_configs(running, wanted, RENDERER)
            for lines in (found.commands, found.rollback):
                assert [line.text.split()[0] for line in lines] == ["policy-map", "class", "police"]
            return
