"""What an object refers to by name, and the same object referring to other names."""

from __future__ import annotations

from decimal import Decimal

from provisioning.pipeline.mqc import (
    AccessList,
    ChildPolicy,
    ClassMap,
    Match,
    Percent,
    Police,
    PolicyClass,
    PolicyMap,
)
from provisioning.pipeline.mqc.referring import (
    ACCESS_LIST,
    CLASS_MAP,
    POLICY_MAP,
    Key,
    kind_of,
    needs,
    referring,
)

LIST = AccessList.of("nren-a", 6, ("permit ipv6 any any",))
CLASS = ClassMap(
    "A",
    "match-any",
    frozenset(
        {
            Match("access-group", frozenset({"nren-a"})),
            Match("access-group", frozenset({101})),
            Match("class-map", frozenset({"INNER"})),
            Match("dscp", frozenset({46})),
            Match("protocol", frozenset({"nren-a"})),
        }
    ),
    "kept",
)
POLICE = Police(Percent(Decimal(5)))
POLICY = PolicyMap(
    "P",
    (
        PolicyClass("A", frozenset({POLICE, ChildPolicy("CHILD")})),
        PolicyClass("class-default", frozenset({ChildPolicy("REST")})),
    ),
    "kept",
)


def second(key: Key) -> str:
    kind, name = key
    return f"{name}-{ {ACCESS_LIST: 'list', CLASS_MAP: 'class', POLICY_MAP: 'policy'}[kind] }"


def test_the_kind_as_ownership_spells_it() -> None:
    assert [kind_of(thing) for thing in (LIST, CLASS, POLICY)] == ["access-list", "class-map", "policy-map"]


def test_needs_are_names_of_lists_classes_and_policies() -> None:
    assert needs(LIST) == frozenset()
    assert needs(CLASS) == {(ACCESS_LIST, "nren-a"), (ACCESS_LIST, "101"), (CLASS_MAP, "INNER")}
    assert needs(POLICY) == {(CLASS_MAP, "A"), (POLICY_MAP, "CHILD"), (POLICY_MAP, "REST")}


def test_other_names_stand_where_names_stood_and_nowhere_else() -> None:
    """A protocol of the same name, a list that goes by a number and class-default keep theirs."""
    assert referring(CLASS, second) == ClassMap(
        "A",
        "match-any",
        frozenset(
            {
                Match("access-group", frozenset({"nren-a-list"})),
                Match("access-group", frozenset({101})),
                Match("class-map", frozenset({"INNER-class"})),
                Match("dscp", frozenset({46})),
                Match("protocol", frozenset({"nren-a"})),
            }
        ),
        "kept",
    )
    assert referring(POLICY, second) == PolicyMap(
        "P",
        (
            PolicyClass("A-class", frozenset({POLICE, ChildPolicy("CHILD-policy")})),
            PolicyClass("class-default", frozenset({ChildPolicy("REST-policy")})),
        ),
        "kept",
    )


def test_a_negated_match_stays_negated() -> None:
    thing = ClassMap("A", matches=frozenset({Match("access-group", frozenset({"L"}), negated=True)}))
    assert referring(thing, second) == ClassMap(
        "A", matches=frozenset({Match("access-group", frozenset({"L-list"}), negated=True)})
    )


def test_one_name_of_several_may_be_another() -> None:
    def only_the_child(key: Key) -> str:
        return "CHILD-2" if key == (POLICY_MAP, "CHILD") else key[1]

    assert referring(POLICY, only_the_child).children == {"CHILD-2", "REST"}  # type: ignore[union-attr]


def test_the_same_names_are_the_same_object() -> None:
    for thing in (LIST, CLASS, POLICY):
        assert referring(thing, lambda key: key[1]) is thing
    assert referring(LIST, second) is LIST
