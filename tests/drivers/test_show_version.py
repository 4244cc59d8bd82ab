"""``show version`` of every box, as facts: the release that a profile can be made of, the chassis, the serial number."""

from __future__ import annotations

import pytest

from lab.device import Device
from lab.spec import RouterSpec
from provisioning.drivers import reading
from provisioning.pipeline.platforms import Release, platform_name, profile


@pytest.mark.parametrize(
    ("platform", "ios", "version", "chassis"),
    [
        ("cisco-12400", "12.0(28)S", "12.0(28)S", "12416/PRP"),
        ("cisco-7200vxr", "15.2(4)M3", "15.2(4)M3", "7206VXR"),
        ("asr1001-x", "16.09.04", "16.09.04", "ASR1001-X"),
        ("asr1001-x", "03.16.05.S", "03.16.05.S", "ASR1001-X"),
        ("isr4331", "17.6.1", "17.06.01", "ISR4331/K9"),
        ("csr1000v", "16.12.1", "16.12.01", "CSR1000V"),
        ("c8300-1n1s-6t", "17.9.4", "17.09.04", "C8300-1N1S-6T"),
    ],
)
def test_facts_of_a_box(platform: str, ios: str, version: str, chassis: str) -> None:
    spec = RouterSpec.from_dict({"name": "r1", "platform": platform, "ios": ios, "serial": "FXS2101Q0AB"})
    told = Device(spec).open_session(privilege=15).execute("show version")
    facts = reading.facts(told, "elsewhere")
    assert (facts.version, facts.platform_text, facts.serial) == (version, chassis, "FXS2101Q0AB")
    assert Release.parse(facts.version) == Release.parse(ios)
    assert facts.image
    if platform_name(platform) == "cisco-iosxe":
        # What the box calls itself is a platform too, and the same one.
        assert profile(facts.platform_text, facts.version) == profile(platform, ios)


@pytest.mark.parametrize(
    ("said", "seconds"),
    [
        ("2 weeks, 3 days, 4 hours, 5 minutes", 2 * 604_800 + 3 * 86_400 + 4 * 3_600 + 5 * 60),
        ("1 year, 1 week, 1 minute", 31_536_000 + 604_800 + 60),
        ("0 minutes", 0),
        ("3 minutes", 180),
        ("a while", None),
    ],
)
def test_uptime_in_seconds(said: str, seconds: int | None) -> None:
    assert reading.facts(f"uk6 uptime is {said}\nSystem returned to ROM by reload\n", "uk6").up_s == seconds
