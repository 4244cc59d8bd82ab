"""Sources that change places among the access lists of one policy: none is ever without, whatever the lists let go of."""

from __future__ import annotations

import pytest

from provisioning.pipeline.diff import diff_configs
from provisioning.pipeline.rendering import Renderer
from provisioning.pipeline.safety import Marker, check, interface_states, roles_of, simulate
from provisioning.selectors.templates import ios_environment
from tests.pipeline.practice import BANDWIDTHS, Oracle, profile_of

RENDERER = Renderer(ios_environment())
KIND = "ios-xe"
A, B, C, D = (f"permit ipv6 2001:DB8:{net}::/48 any" for net in "ABCD")
TO_F = "permit ipv6 any 2001:DB8:F::/48"
BOTH = "permit ipv6 2001:db8:a::/48 2001:db8:f::/48"
"""What is in A and in TO_F, neither of which contains the other."""


def router(*lists: str) -> str:
    """A class, policed at a rate of its own, for each of the lists (of entries, one a line)."""
    names = [f"L{number}" for number, _ in enumerate(lists, 1)]
    text = "".join(
        f"ipv6 access-list {name.lower()}\n{entries}\nclass-map match-all {name}\n match access-group name {name.lower()}\n"
        for name, entries in zip(names, lists, strict=True)
    )
    classes = "".join(
        f" class {name}\n  set dscp ef\n  police cir percent {number} conform-action transmit exceed-action drop\n"
        for number, name in enumerate(names, 1)
    )
    return (
        f"{text}policy-map IN\n{classes} class class-default\n  set dscp default\n"
        "interface POS1/0\n service-policy input IN\n"
    )


@pytest.mark.parametrize(
    ("before", "after", "stay"),
    [
        ((A, B), (B, A), (A, B)),
        ((f"{A}\n{C}", f"{B}\n{D}"), (f"{B}\n{C}", f"{A}\n{D}"), (A, B, C, D)),
        ((A, B, C), (B, C, A), (A, B, C)),
        ((f"{A}\n{B}", C), (C, f"{A}\n{B}"), (A, B, C)),
        ((A, B), (C, f"{B}\n{TO_F}"), (BOTH, B)),
        ((A, TO_F), (TO_F, A), (BOTH,)),
    ],
    ids=["two", "two of several", "three", "more for fewer", "into one that overlaps", "overlapping ones"],
)
def test_no_source_is_without_a_list_for_a_line(before, after, stay):
    oracle, goal, profile = Oracle(KIND), Oracle(KIND), profile_of(KIND)
    assert oracle.send(router(*before).splitlines()) == []
    assert goal.send(router(*after).splitlines()) == []
    running, wanted = oracle.read(), goal.read()
    found = diff_configs(running, wanted, RENDERER, profile, bandwidths=BANDWIDTHS)
    roles = roles_of(running, wanted)
    for start, lines in ((running, found.commands), (found.result, found.rollback)):
        gaps = frozenset(index - 1 for index, line in enumerate(lines) if line.joined)
        proof = check(start, lines, roles, gap_lines=gaps, bandwidths=BANDWIDTHS, profile=profile)
        assert [text for state in proof for text in state.violations] == []
        for index, config in enumerate(simulate(start, lines, profile)):
            state = interface_states(config, roles)["POS1/0"]
            if index not in gaps:
                assert state.marker is Marker.ACL
                assert all(_let_in(entry.lower(), state.authorised) for entry in stay)
    assert oracle.send(found.commands) == []
    assert diff_configs(oracle.read(), wanted, RENDERER, profile).empty
    assert oracle.send(found.rollback) == []
    assert diff_configs(oracle.read(), running, RENDERER, profile).empty


def _let_in(entry: str, authorised: tuple[str, ...]) -> bool:
    wide = {BOTH: {A.lower(), TO_F.lower()}}.get(entry, {entry})
    return not wide.isdisjoint(authorised)


def test_sources_that_change_lists_one_way_need_no_new_version():
    found = diff_configs(*(_read(text) for text in (router(A, B), router(C, f"{A}\n{B}"))), RENDERER)
    assert found.result.access_lists.keys() == {"l1", "l2"}
    assert found.gaps == ()


def test_a_source_that_a_list_lets_in_anyway_makes_no_circle():
    """B goes from the first list and stays in by the wider entry of it; A goes over to it from the second."""
    wide = "permit ipv6 2001:DB8::/32 any"
    before, after = router(f"{wide}\n{B}", A), router(f"{wide}\n{A}", B)
    found = diff_configs(_read(before), _read(after), RENDERER)
    assert found.result.access_lists.keys() == {"l1", "l2"}


def test_lists_of_different_policies_make_no_circle():
    def two(first: str, second: str) -> str:
        return (
            router(first, C)
            + f"ipv6 access-list far\n{second}\nclass-map match-all FAR\n match access-group name far\n"
            "policy-map FAR\n class FAR\n  set dscp ef\n  police cir percent 1 conform-action transmit exceed-action drop\n"
            "interface POS1/1\n service-policy input FAR\n"
        )

    found = diff_configs(_read(two(A, B)), _read(two(B, A)), RENDERER)
    assert found.result.access_lists.keys() == {"l1", "l2", "far"}


def _read(text: str):
    oracle = Oracle(KIND)
    assert oracle.send(text.splitlines()) == []
    return oracle.read()
