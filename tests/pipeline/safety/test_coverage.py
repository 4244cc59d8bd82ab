"""Who is let in by none of several states of an interface."""

from __future__ import annotations

import pytest

from provisioning.pipeline import ios
from provisioning.pipeline.intent import Role
from provisioning.pipeline.safety import InterfaceQos, Marker, check
from provisioning.pipeline.safety.coverage import uncovered

V6 = "permit ipv6 2001:db8:b::/48 any"


def test_where_a_list_denies_only_the_same_entry_counts() -> None:
    def state(denies: bool) -> InterfaceQos:
        authorised = ("permit ipv6 any any",)
        return InterfaceQos(
            *("POS1/0", None, Role.ACCESS, "IN", None, Marker.ACL, "percent 5", True, False, authorised),
            authorised if denies else (),
        )

    assert uncovered([V6], [state(False)], []) == frozenset()
    assert uncovered([V6], [state(True)], []) == {V6}
    assert uncovered([V6], [state(True), state(False)], []) == frozenset()
    assert uncovered(["permit ipv6 any any"], [state(True)], []) == frozenset()


EVERYBODY = "permit ipv6 any any"


@pytest.mark.parametrize(
    ("policy", "name", "held", "covered"),
    [
        ("IN", "from", (EVERYBODY,), True),
        ("IN", "from", (V6, EVERYBODY), True),
        ("IN", "to", (EVERYBODY,), False),  # another list: its class may ask more
        ("IN-2", "from", (EVERYBODY,), False),  # another policy
        ("IN", "from", (), False),  # a deny stands before it
        ("IN", "from", ("permit ipv6 host 2001:db8:b::7 any",), False),
    ],
)
def test_a_wider_entry_of_the_same_list_of_the_same_policy_counts(
    policy: str, name: str, held: tuple[str, ...], covered: bool
) -> None:
    """Whatever else the class asks of a packet, it asks of those of either entry."""

    def state(policy: str, authorised: str, *lists: tuple[str, tuple[str, ...]]) -> InterfaceQos:
        both = (authorised,)
        return InterfaceQos(
            *("POS1/0", None, Role.ACCESS, policy, None, Marker.ACL, "percent 5", True, False, both, both),
            lists=lists,
        )

    before, now = state("IN", V6, ("from", (V6,))), state(policy, EVERYBODY, (name, held))
    assert uncovered([V6], [now], [before]) == (frozenset() if covered else {V6})


CLASSES = """\
ipv6 access-list narrow
 permit ipv6 host 2001:db8:b::7 any
 permit ipv6 host 2001:db8:c::8 any
ipv6 access-list wide
 permit ipv6 2001:db8::/32 any
class-map match-all HOSTS
 match access-group name narrow
class-map match-all NETWORK
 match access-group name wide
class-map match-all NETWORK-EF
 match access-group name wide
 match dscp ef
class-map match-any LOOSE
 match access-group name wide
 match dscp ef
class-map match-all NESTED
 match class-map NETWORK-EF
class-map match-any EITHER
 match class-map NETWORK
 match dscp ef
class-map match-none NEITHER
 match access-group name wide
class-map match-all LBE
 match dscp cs1
policy-map IN
"""


@pytest.mark.parametrize(
    ("order", "cut_off"),
    [
        ("HOSTS NETWORK", False),
        ("HOSTS LOOSE", False),
        ("HOSTS EITHER", False),  # a class within it takes all it lists
        ("LBE HOSTS NETWORK", False),  # cs1 of the host went to LBE before as well
        ("HOSTS LBE NETWORK", True),  # ... and here only while its own entry is away
        ("HOSTS NETWORK-EF", True),  # the wider entry takes what is marked already, the host's own everything
        ("HOSTS NESTED", True),
        ("HOSTS NEITHER NETWORK", True),
    ],
)
def test_a_wider_entry_counts_only_where_it_meets_the_same_fate(order: str, cut_off: bool) -> None:
    text = CLASSES
    for name in order.split():
        mark = "cs1" if name == "LBE" else "ef"
        text += f" class {name}\n  police cir percent 5 conform-action transmit exceed-action drop\n  set dscp {mark}\n"
    text += " class class-default\n  set dscp default\ninterface POS1/0\n service-policy input IN\n"
    lines = [
        "ipv6 access-list narrow",
        "no permit ipv6 host 2001:db8:b::7 any",
        "permit ipv6 host 2001:db8:b::7 any",
    ]
    running = ios.parse(f"hostname r1\n{text}")
    (_, _, away, back) = check(running, lines, {"POS1/0": Role.ACCESS})
    assert [("cut off" in said) for said in away.violations] == [True] * cut_off
    assert back.violations == ()
