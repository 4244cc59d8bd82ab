"""Access lists rendered for IOS-XE go through Cisco's own model of the configuration."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings

from provisioning.pipeline.mqc import AccessList
from provisioning.pipeline.rendering import Renderer
from provisioning.selectors.templates import ios_environment
from tests.pipeline.practice import profile_of
from tests.pipeline.rendering.xe_access_model import access_problems
from tests.pipeline.worlds import worlds

RENDERER = Renderer(ios_environment())
GOLDEN = Path(__file__).parents[2] / "golden" / "platforms"
SCHEMES = Path(__file__).parents[1] / "scheme" / "rendered"
FILES = [
    *sorted(SCHEMES.glob("*-ios-xe.ios")),
    *(GOLDEN / name / "rendered.ios" for name in ("asr1000-xe", "isr4000-xe")),
]


@pytest.mark.parametrize("file", FILES, ids=lambda file: f"{file.parent.name}-{file.stem}")
def test_every_list_is_in_the_model(file: Path) -> None:
    assert access_problems(file.read_text(encoding="utf-8")) == []


@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(world=worlds())
def test_every_intent_of_6net_is_in_the_model(world) -> None:
    wanted = world.intent("ios-xe")
    assert access_problems(RENDERER.document(wanted.objects(), profile_of("ios-xe"))) == []


FOUR = (
    "permit tcp any gt 1023 host 192.0.2.1 eq www 443 established log",
    "permit udp 192.0.2.0 0.0.0.255 range snmp snmptrap any dscp ef",
    "permit 89 any any",
    "deny icmp any any 3 4",
    "permit icmp any any echo-reply",
    "permit ip any any tos min-delay precedence critical fragments",
    "remark what a person wrote",
)
SIX = (
    "permit 89 any any",
    "permit 58 any any echo-request",
    "permit 47 host 2001:db8::1 any",
    "permit ipv6 2001:DB8::/32 any flow-label 1048575 dscp ef",
    "permit udp any eq ntp 2001:db8:1::/48 neq syslog routing",
    "deny tcp any any syn log-input",
)


@pytest.mark.parametrize("family", [4, 6])
def test_what_people_type_is_rendered_as_the_model_has_it(family: int) -> None:
    texts = FOUR if family == 4 else SIX
    assert access_problems(RENDERER.document([AccessList.of("A", family, texts)], profile_of("ios-xe"))) == []


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("permit ospf any any", "ospf is not in 0..255"),
        ("permit ipv6 any any flow-label 1048576", "1048576 is not in 0..1048575"),
        ("permit ipv6 192.0.2.0/24 any", "of the other family"),
        ("permit tcp any eq 65536 any", "65536 is not in 0..65535"),
        ("permit udp any any syn", "syn is no option"),
        ("sequence 0 permit ipv6 any any", "0 is not in 1..4294967294"),
        ("remark " + "x" * 101, "1..100 characters"),
    ],
)
def test_the_model_has_an_opinion(text: str, why: str) -> None:
    (found,) = access_problems(f"ipv6 access-list A\n {text}\n")
    assert why in found
