"""Names that lead nowhere: who uses them, of which kind, and only those that the change brings (ios-facts 2.8, 5.1)."""

from __future__ import annotations

from dataclasses import replace

from provisioning.pipeline import ios
from provisioning.pipeline.diff.unresolved import unresolved

NOTHING = ""
WHOLE = """\
ip access-list extended hosts
 permit ip any any
ipv6 access-list hosts
 permit ipv6 any any
class-map match-any GOLD
 match dscp 46
class-map match-any OUTER
 match class-map GOLD
 match access-group name hosts
policy-map INSIDE
 class GOLD
  priority
policy-map OUT
 class class-default
  shape average 1000000
  service-policy INSIDE
interface ATM2/0.1
 pvc 0/32
  service-policy output OUT
"""


def found(running: str, result: str) -> list[tuple[str, bool]]:
    """Each name that leads nowhere as it is told, and whether a router refuses its line."""
    left = unresolved(ios.parse(f"hostname r1\n{running}"), ios.parse(f"hostname r1\n{result}"))
    return [(each.text.removesuffix(", which neither side has"), each.refused) for each in left]


def test_what_is_there_is_not_missed() -> None:
    assert found(NOTHING, WHOLE) == []


def test_every_kind_of_use_is_told_with_who_uses_it() -> None:
    absent = (
        WHOLE.replace("match class-map GOLD", "match class-map GLOD")
        .replace("name hosts", "name guests")
        .replace(" class GOLD\n", " class GLOD\n")
        .replace("  service-policy INSIDE", "  service-policy INSIED")
        .replace("output OUT", "output TUO")
    )
    assert found(NOTHING, absent) == [
        ("ATM2/0.1 pvc 0/32 output uses policy-map TUO", True),
        ("class-map OUTER uses access-list guests", False),
        ("class-map OUTER uses class-map GLOD", True),
        ("policy-map INSIDE uses class-map GLOD", True),
        ("policy-map OUT uses policy-map INSIED", True),
    ]


def test_an_ipv6_list_alone_is_there_too() -> None:
    alone = WHOLE.replace("ip access-list extended hosts\n permit ip any any\n", "")
    assert found(NOTHING, alone) == []
    assert found(NOTHING, alone.replace("ipv6 access-list hosts", "ipv6 access-list guests")) == [
        ("class-map OUTER uses access-list hosts", False)
    ]


def test_what_leads_nowhere_on_the_router_already_was_typed_there_once() -> None:
    held = "policy-map OLD\n class GONE\n  set dscp 0\ninterface POS1/0\n service-policy input LOST\n"
    assert found(held, held) == []
    more = held + "policy-map NEW\n class AWAY\n  set dscp 0\n"
    assert found(held, more) == [("policy-map NEW uses class-map AWAY", True)]
    assert found(more, held) == []


def test_the_ipv6_list_that_is_left_of_two_of_one_name_is_there() -> None:
    both = ios.parse(f"hostname r1\n{WHOLE}")
    left = {"ipv6 hosts": both.access_lists["ipv6 hosts"]}
    assert unresolved(both, replace(both, access_lists=left)) == ()
