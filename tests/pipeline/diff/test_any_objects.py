"""The same properties for objects of any kind, owned because the intent names them (`mqc diff`)."""

from __future__ import annotations

import dataclasses
from decimal import Decimal

from hypothesis import given
from hypothesis import strategies as st

from provisioning.pipeline.diff import diff_configs
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
    base_name,
)
from provisioning.pipeline.rendering import Renderer
from provisioning.pipeline.safety import simulate
from provisioning.selectors.templates import ios_environment
from tests.pipeline.properties import OF_ROUTERS

RENDERER = Renderer(ios_environment())
LISTS, CLASSES, POLICIES = (
    ("acl-a", "acl-b"),
    ("CLASS-A", "CLASS-B", "CLASS-C"),
    ("POLICY-A", "POLICY-B", "POLICY-C"),
)
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
    """Every wanted object exists under its BASE with the wanted meaning, and every wanted place has its policy."""
    again = diff_configs(config, wanted, RENDERER)
    assert again.commands == ()
    assert again.conflicts == ()
    for binding in wanted.bindings:
        bound = config.bound(binding.interface, binding.direction)
        assert bound is not None
        assert bound == binding.policy or base_name(bound)[0] == binding.policy


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
    middle = states[len(found.commands) * share // 100]
    again = diff_configs(middle, wanted, RENDERER)
    assert again.conflicts == ()
    assert end(middle, again.commands) == again.result
    reached(again.result, wanted)


def what_is_not_named_stays(running: RunningConfig, wanted: RunningConfig, result: RunningConfig) -> None:
    for name, held in running.policy_maps.items():
        if name not in wanted.policy_maps and not _refers(held, wanted):
            assert result.policy_maps[name] == held
    for binding in running.bindings:
        named = {(each.interface, each.direction) for each in wanted.bindings}
        if binding.policy not in wanted.policy_maps and (binding.interface, binding.direction) not in named:
            assert binding in result.bindings
    assert result.interfaces == running.interfaces


def _refers(policy: PolicyMap, wanted: RunningConfig) -> bool:
    return bool({entry.name for entry in policy.classes} & wanted.class_maps.keys())


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
