"""What the practice routers of every train print of Appendix A is Appendix A: a printer that shares nothing with ours."""

from __future__ import annotations

from pathlib import Path

import pytest

from provisioning.pipeline import counters, ios
from provisioning.pipeline.mqc import Binding
from tests.lab import routers

APPENDIX = (Path(__file__).parent.parent / "cases" / "appendix-a.ios").read_text()
ACCESS_LIST = (
    "ipv6 access-list nren-auth-ef\n permit udp 2001:db8:7::/48 2001:db8:9::/48 flow-label 77\n"
    " permit ipv6 host 2001:db8:7::1 any\n"
)
BOUND = "interface POS1/0\n service-policy input TRUSTED-IN\ninterface ATM5/0.1\n pvc 0/32\n  service-policy input FILTERED-IN\n"


def wanted(kind: tuple[str, str]) -> str:
    """The 7200 refuses `priority` without a rate, and before HQF WRED without a queue (ios-facts 2.3)."""
    if kind[0] != "cisco-7200vxr":
        return APPENDIX
    return APPENDIX.replace("    priority\n", "    priority percent 5\n").replace(
        "    random-detect", "    fair-queue\n    random-detect"
    )


@pytest.mark.parametrize("kind", routers.ALL, ids=lambda kind: f"{kind[0]} {kind[1]}")
def test_what_is_typed_is_what_is_read(kind: tuple[str, str]) -> None:
    text = ACCESS_LIST + wanted(kind) + BOUND
    session = routers.at_config(kind, load=text)
    session.execute("end")
    session.execute("terminal length 0")
    config = ios.parse(session.execute("show running-config"))
    intended = ios.parse_fragment(text)
    assert config.whole
    assert config.hostname == "r1"
    assert config.class_maps == intended.class_maps
    assert config.policy_maps == intended.policy_maps
    assert config.access_lists == intended.access_lists
    assert config.bindings == {
        Binding("POS1/0", None, "input", "TRUSTED-IN"),
        Binding("ATM5/0.1", "0/32", "input", "FILTERED-IN"),
    }


@pytest.mark.parametrize("kind", routers.ALL, ids=lambda kind: f"{kind[0]} {kind[1]}")
def test_the_counters_are_read(kind: tuple[str, str]) -> None:
    session = routers.at_config(kind, load=ACCESS_LIST + wanted(kind) + BOUND)
    session.execute("end")
    session.execute("terminal length 0")
    found = counters.parse(session.execute("show policy-map interface"))
    assert [(each.interface, each.pvc, each.direction, each.policy) for each in found] == [
        ("POS1/0", None, "input", "TRUSTED-IN"),
        ("ATM5/0.1", "0/32", "input", "FILTERED-IN"),
    ]
    ef, _, rest = found[0].classes
    assert (ef.name, rest.name) == ("EF", "class-default")
    assert ef.police is not None
    assert (ef.packets, ef.police.cir_bps, ef.police.bc_bytes) == (0, 7_750_000, 242_187)
    assert (ef.police.conformed.actions, ef.police.exceeded.actions) == (("transmit",), ("drop",))
    assert [mark.field for mark in rest.marked] == ["dscp"]
    assert all(each.other_lines == () for policy in found for each in policy.classes)
