"""Counters of an ISR4331: shapes of IOS-XE, and numbers beyond 32 bits."""

from __future__ import annotations

from decimal import Decimal

from lab.counters import ClassCounters, Colour
from lab.device import Device
from lab.spec import RouterSpec
from provisioning.pipeline.counters import parse

MANY = 3 * 2**40 + 17
CONFIGURATION = """\
class-map match-all EF
 match dscp ef
policy-map FILTERED-IN
 class EF
  police cir percent 5 conform-action transmit exceed-action drop
  set dscp ef
 class class-default
  set dscp default
interface GigabitEthernet0/0/1
 service-policy input FILTERED-IN
"""


def test_64_bit_counters_and_marking_that_is_not_counted() -> None:
    spec = {"name": "r1", "platform": "isr4331", "ios": "17.6.1", "interfaces": [
        {"name": "GigabitEthernet0/0/1", "bandwidth_kbit": 1000000}]}  # fmt: skip
    router = Device(RouterSpec.from_dict(spec))
    router.load(CONFIGURATION)
    router.counters["GigabitEthernet0/0/1", None, "input"] = {
        "EF": ClassCounters(
            packets=MANY, bytes=MANY * 2, conformed=Colour(MANY, MANY * 2), exceeded=Colour(5, MANY)
        )
    }
    shown = router.open_session(privilege=15).execute("show policy-map interface GigabitEthernet0/0/1")
    assert "Marker statistics: Disabled" in shown
    (attached,) = parse(shown)
    ef, rest = attached.classes
    assert (ef.packets, ef.bytes) == (MANY, MANY * 2)
    assert ef.police is not None
    assert (ef.police.cir_percent, ef.police.cir_bps) == (Decimal(5), 50_000_000)
    assert (ef.police.conformed.packets, ef.police.exceeded.bytes) == (MANY, MANY)
    assert [mark.packets for mark in (*ef.marked, *rest.marked)] == [None, None]
