"""Interfaces typed twice, typed at the margin, or with lines that look like what counts."""

from __future__ import annotations

import pytest

from provisioning.pipeline import ios
from provisioning.pipeline.mqc import Binding, InterfaceState, Pvc

BOUND = frozenset({Binding("POS1/0", None, "input", "P")})


def interface(*lines: str) -> InterfaceState:
    text = "hostname r\ninterface ATM1/0\n" + "".join(f" {line}\n" for line in lines)
    return ios.parse(text).interfaces["ATM1/0"]


@pytest.mark.parametrize(
    ("lines", "shut"),
    [
        (["shutdown"], True),
        (["shutdown", "no shutdown"], False),
        (["shutdown", "no  shutdown"], False),
        (["no shutdown", "shutdown"], True),
        (["shutdown", "no ip address"], True),
        (["shutdown", "no shutdown lan"], True),
        (["shutdown lan"], False),
    ],
)
def test_the_last_word_on_being_shut(lines: list[str], shut: bool) -> None:
    assert interface(*lines).shutdown is shut


@pytest.mark.parametrize(
    ("line", "addressed"),
    [
        ("no shutdown", False),
        ("ip address 192.0.2.1 255.255.255.0", True),
        ("ipv6 address 2001:DB8::1/64", True),
        ("no ip address", False),
        ("shutdown", False),
    ],
)
def test_typed_at_the_margin_it_goes_on(line: str, addressed: bool) -> None:
    found = ios.parse(f"hostname r\ninterface POS1/0\n{line}\nservice-policy input P\n")
    assert found.bindings == BOUND
    assert found.interfaces["POS1/0"].has_address is addressed


@pytest.mark.parametrize(
    ("lines", "kbit"),
    [
        (["bandwidth 2048"], 2048),
        (["bandwidth receive 2048", "service-policy input P"], None),
        (["bandwidth 64", "bandwidth inherit"], 64),
    ],
)
def test_the_bandwidth_is_the_number_alone(lines: list[str], kbit: int | None) -> None:
    assert interface(*lines).bandwidth_kbit == kbit


def test_a_pvc_keeps_its_service_among_other_lines() -> None:
    assert interface("pvc 0/32", " vbr-nrt 8000 6000", " encapsulation aal5snap", "no atm x").pvcs == (
        Pvc("0/32", "vbr-nrt", 8000, 6000),
    )
    assert interface("pvc 0/33", " protocol ip 192.0.2.1").pvcs == (Pvc("0/33"),)


@pytest.mark.parametrize(
    ("line", "name"),
    [
        ("service-policy client input Q", "Q"),
        ("service-policy input Q extra", "Q"),
        ("service-policy output Q extra", "Q"),
        ("service-policy history", None),
        ("service-policy type inspect Q", None),
    ],
)
def test_a_policy_named_in_another_form_is_used_and_not_bound(line: str, name: str | None) -> None:
    found = ios.parse(f"hostname r\ninterface POS1/0\n {line}\n service-policy input P\n")
    assert found.bindings == BOUND
    assert {use.name for use in found.references} == ({name} if name else set())
