"""What an unsaved line speaks of: objects and bindings that we could have typed, and nothing else."""

from __future__ import annotations

import pytest

from provisioning.pipeline import ios
from provisioning.pipeline.change.whose import ABSENT, content_of, section_of

RUNNING = """\
version 12.3
hostname uk6
class-map match-all EF
 match dscp ef
policy-map P
 class EF
  police cir percent 5 conform-action transmit exceed-action drop
interface POS1/0
 service-policy input P
interface ATM2/0.1 point-to-point
 pvc 1/32
  service-policy output P
ip access-list extended both
 permit ip any any
ipv6 access-list both
 permit ipv6 any any
ipv6 access-list six
 permit ipv6 any any
end
"""


@pytest.mark.parametrize(
    ("line", "section"),
    [
        ("+ policy-map P / class EF / police cir percent 5", ("policy-map", "P")),
        ("- class-map match-any EF / match dscp ef", ("class-map", "EF")),
        ("+ class-map EF", ("class-map", "EF")),
        ("+ interface POS1/0 / service-policy input P", ("service-policy", "POS1/0", "", "input")),
        (
            "- interface ATM2/0.1 point-to-point / pvc 1/32 / service-policy output P",
            ("service-policy", "ATM2/0.1", "1/32", "output"),
        ),
        ("+ ipv6 access-list six / permit ipv6 any any", ("access-list", "six")),
        ("+ ipv6 access-list both / permit ipv6 any any", ("access-list", "ipv6 both")),
        ("+ ip access-list extended both / permit ip any any", ("access-list", "both")),
    ],
)
def test_what_we_can_type_is_found(line: str, section: tuple[str, ...]) -> None:
    assert section_of(line, ios.parse(RUNNING)) == section


@pytest.mark.parametrize(
    "line",
    [
        "+ interface POS1/0",
        "+ interface POS1/0 / description service-policy input P",
        "+ interface POS1/0 / description a / service-policy input P",
        "+ interface POS1/0 / service-policy type control P",
        "+ interface ATM2/0.1 point-to-point / pvc 1/32",
        "+ interface ATM2/0.1 point-to-point / pvc 1/32 / ubr 512",
        "+ policy-map type control P / class X",
        "+ class-map type inspect match-any X",
        "+ snmp-server location here",
        "+ control-plane / service-policy input P",
        # An IPv4 list of that name is no list of six's section, and the other way round.
        "- ip access-list extended six / permit ip any any",
        "+ ip route 0.0.0.0 0.0.0.0 Null0",
    ],
)
def test_what_we_never_type_is_nobody_of_ours(line: str) -> None:
    assert section_of(line, ios.parse(RUNNING)) is None


def test_an_ipv6_list_that_was_deleted_is_not_the_ipv4_list_of_its_name() -> None:
    config = ios.parse(RUNNING.replace("ipv6 access-list both\n permit ipv6 any any\n", ""))
    assert section_of("- ipv6 access-list both / permit ipv6 any any", config) is None


def test_what_a_section_holds_is_its_meaning_not_its_text() -> None:
    one = ios.parse(RUNNING)
    other = ios.parse(RUNNING.replace("match dscp ef", "match  dscp 46 "))
    assert content_of(one, ("class-map", "EF")) == content_of(other, ("class-map", "EF"))
    described = ios.parse(RUNNING.replace(" match dscp ef", " description ours\n match dscp ef"))
    assert content_of(one, ("class-map", "EF")) != content_of(described, ("class-map", "EF"))
    assert content_of(one, ("class-map", "GONE")) == ABSENT
    assert content_of(one, ("service-policy", "ATM2/0.1", "1/32", "output")) == "P"
    assert content_of(one, ("service-policy", "ATM2/0.1", "", "output")) == ABSENT
