"""Objects by key, who refers to whom, what packets meet, and the order in which objects can be made."""

from __future__ import annotations

import dataclasses

from provisioning.pipeline.diff.store import (
    ACCESS_LIST,
    CLASS_MAP,
    POLICY_MAP,
    Objects,
    Users,
    bottom_up,
    digest_of,
    needs_of,
    place_of,
    place_order,
    store_of,
    with_store,
)
from provisioning.pipeline.mqc import (
    AccessList,
    Binding,
    ChildPolicy,
    ClassMap,
    Match,
    PolicyClass,
    PolicyMap,
    Reference,
    RunningConfig,
)

A, B = "permit ip host 192.0.2.1 any", "permit ip host 192.0.2.2 any"
V4, V6 = AccessList.of("hosts", 4, (A, B)), AccessList.of("hosts", 6, ("permit ipv6 any any",))


def of_list(name: str) -> frozenset[Match]:
    return frozenset({Match("access-group", frozenset({name}))})


def of_class(name: str) -> frozenset[Match]:
    return frozenset({Match("class-map", frozenset({name}))})


def policy(name: str, *classes: str, child: str | None = None) -> PolicyMap:
    actions = frozenset() if child is None else frozenset({ChildPolicy(child)})
    return PolicyMap(name, tuple(PolicyClass(each, actions) for each in classes))


CONFIG = RunningConfig(
    access_lists={
        "hosts": V4,
        "ipv6 hosts": V6,
        "aside": AccessList.of("aside", 6, ("permit ipv6 any any",)),
    },
    class_maps={
        "ANY": ClassMap("ANY", "match-any", of_class("HOSTS")),
        "HOSTS": ClassMap("HOSTS", "match-all", of_list("hosts")),
        "ASIDE": ClassMap("ASIDE", "match-all", of_list("aside")),
    },
    policy_maps={
        "A-OUTER": policy("A-OUTER", "class-default", child="INNER"),
        "INNER": policy("INNER", "ANY"),
        "LONE": policy("LONE", "ASIDE"),
    },
    bindings=frozenset({Binding("POS1/0", None, "input", "A-OUTER")}),
)


def test_a_store_and_its_config_are_the_same():
    store = store_of(CONFIG)
    assert store[(ACCESS_LIST, "ipv6 hosts")] is V6
    assert with_store(CONFIG, store, CONFIG.bindings) == CONFIG
    assert with_store(CONFIG, {}, ()) == RunningConfig()


def test_who_refers_to_an_object_and_whose_packets_meet_it():
    users = Objects(CONFIG).users
    assert users.of((CLASS_MAP, "HOSTS")) == {(CLASS_MAP, "ANY")}
    assert users.of((ACCESS_LIST, "ipv6 hosts")) == {(CLASS_MAP, "HOSTS")} == users.of((ACCESS_LIST, "hosts"))
    assert users.of((POLICY_MAP, "LONE")) == frozenset()
    assert users.policies_reaching((ACCESS_LIST, "hosts")) == {"A-OUTER", "INNER"}
    assert users.policies_reaching((POLICY_MAP, "INNER")) == {"A-OUTER", "INNER"}
    assert users.policies_reaching((ACCESS_LIST, "aside")) == {"LONE"}


def test_what_packets_meet():
    assert Objects(CONFIG).live == {
        (POLICY_MAP, "A-OUTER"),
        (POLICY_MAP, "INNER"),
        (CLASS_MAP, "ANY"),
        (CLASS_MAP, "HOSTS"),
        (ACCESS_LIST, "hosts"),
        (ACCESS_LIST, "ipv6 hosts"),
    }
    assert Objects(dataclasses.replace(CONFIG, bindings=frozenset())).live == frozenset()
    elsewhere = frozenset({Reference(ACCESS_LIST, "aside", "line vty 0 4")})
    referenced = dataclasses.replace(CONFIG, bindings=frozenset(), references=elsewhere)
    assert Objects(referenced).live == {(ACCESS_LIST, "aside")}
    gone = frozenset({Binding("POS1/0", None, "input", "GONE")})
    assert Objects(dataclasses.replace(CONFIG, bindings=gone)).live == {(POLICY_MAP, "GONE")}


def test_a_circle_of_policies_ends():
    policies = {name: policy(name, "class-default", child=other) for name, other in ("PQ", "QP")}
    bound = frozenset({Binding("POS1/0", None, "input", "P")})
    objects = Objects(RunningConfig(policy_maps=policies, bindings=bound))
    circle = objects.store
    assert objects.live == {(POLICY_MAP, "P"), (POLICY_MAP, "Q")}
    assert Users(needs_of(circle)).policies_reaching((POLICY_MAP, "P")) == {"P", "Q"}
    assert bottom_up(circle) == [(POLICY_MAP, "Q"), (POLICY_MAP, "P")]


def test_objects_are_made_after_what_they_refer_to():
    backwards = dict(sorted(store_of(CONFIG).items(), reverse=True))
    assert bottom_up(backwards) == [
        (ACCESS_LIST, "aside"),
        (ACCESS_LIST, "hosts"),
        (ACCESS_LIST, "ipv6 hosts"),
        (CLASS_MAP, "HOSTS"),
        (CLASS_MAP, "ANY"),
        (CLASS_MAP, "ASIDE"),
        (POLICY_MAP, "INNER"),
        (POLICY_MAP, "A-OUTER"),
        (POLICY_MAP, "LONE"),
    ]


def test_equals_among_what_is_needed_come_by_name():
    names = "ZYXWVUTSRQ"
    inner = tuple(PolicyClass(name, frozenset({ChildPolicy(name)})) for name in names)
    things = {(POLICY_MAP, "A"): PolicyMap("A", inner)}
    things |= {(POLICY_MAP, name): PolicyMap(name) for name in names}
    assert [name for _, name in bottom_up(things)] == [*sorted(names), "A"]


def test_places_and_digests():
    pvc = Binding("ATM2/0.1", "0/32", "input", "IN")
    assert place_of(pvc) == ("ATM2/0.1", "0/32", "input")
    assert place_order(place_of(pvc)) > place_order(("ATM2/0.1", None, "output"))
    assert digest_of(AccessList.of("hosts", 4, (A, B))) == digest_of(AccessList.of("hosts", 4, (B, A)))
    assert digest_of(AccessList.of("hosts", 4, (A,))) != digest_of(AccessList.of("hosts", 4, (A, B)))
    assert digest_of(ClassMap("A")) != digest_of(ClassMap("B"))
