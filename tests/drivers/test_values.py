"""Redaction, the unsaved difference, facts from show commands, and values that refuse what cannot be sent."""

from __future__ import annotations

from dataclasses import replace
from types import SimpleNamespace
from typing import Any

import pytest

from inventory.models import Router
from inventory.readers import reading
from provisioning.drivers import (
    DRIVERS,
    MANY_ROUTERS,
    Target,
    Timeouts,
    WriteUnit,
    choose,
)
from provisioning.drivers.difference import unsaved_difference
from provisioning.drivers.host_keys import PinnedKey
from provisioning.drivers.profiles import LEGACY, MODERN, PROFILES
from provisioning.drivers.reading import facts, interfaces, is_whole
from provisioning.drivers.redaction import without_secrets
from provisioning.drivers.shell import ShellDriver
from provisioning.drivers.shell_wire import Done
from provisioning.errors import DeviceError, InvalidInput, ParseFailure


@pytest.mark.parametrize(
    "line",
    [
        "enable secret 5 $1$abcd$HIDDENhidden0123456789",
        "enable password HIDDEN",
        "username noc privilege 15 password 7 HIDDEN",
        "snmp-server community HIDDEN RO",
        "snmp-server host 192.0.2.1 version 2c HIDDEN",
        "tacacs-server host 192.0.2.1 key HIDDEN",
        "radius-server key 7 HIDDEN",
        "ntp authentication-key 1 md5 HIDDEN 7",
        " neighbor 2001:DB8::1 password 7 HIDDEN",
        " isis password HIDDEN level-2",
        " vrrp 1 authentication text HIDDEN",
        "crypto isakmp key HIDDEN address 192.0.2.1",
        "  key-string HIDDEN",
        " password HIDDEN",
        "copy tftp://user:HIDDEN@192.0.2.1/x running-config",
        "the hash is $1$abcd$HIDDENhidden0123456789",
        "-----BEGIN RSA PRIVATE KEY-----\nHIDDEN\n-----END RSA PRIVATE KEY-----",
        "say my-session-password HIDDEN",
    ],
)
def test_no_secret_is_kept(line: str) -> None:
    assert "HIDDEN" not in without_secrets(line, ["HIDDEN"] if line.startswith("say") else [])


@pytest.mark.parametrize(
    "line",
    [
        "policy-map TRUSTED-IN",
        "class-map match-all EF",
        "key chain isis",
        " description the password is elsewhere",
    ],
)
def test_nothing_else_is_removed(line: str) -> None:
    assert without_secrets(line, ["", "letmein"]) == line


STARTUP = """\
Using 900 out of 129016 bytes
!
version 12.2
 policy-map P
  class class-default
   set dscp default
interface POS1/0
 ntp disable
snmp-server community old RO
ntp clock-period 17180001
end
"""


def test_noise_and_manner_of_printing_are_no_difference() -> None:
    running = STARTUP.replace(
        "Using 900 out of 129016 bytes", "Building configuration...\n\nCurrent configuration : 911 bytes"
    )
    running = running.replace("17180001", "17180099").replace("set dscp default", "set  dscp default ")
    assert unsaved_difference(running, STARTUP) == ()


def test_a_difference_stands_under_its_parents_and_shows_no_secret() -> None:
    running = STARTUP.replace("set dscp default", "set dscp cs1").replace("community old", "community fresh")
    assert unsaved_difference(running, STARTUP) == (
        "- snmp-server community <removed> RO",
        "+ snmp-server community <removed> RO",
        "- policy-map P / class class-default / set dscp default",
        "+ policy-map P / class class-default / set dscp cs1",
    )


def test_an_object_that_stands_elsewhere_is_no_difference_but_its_lines_in_another_order_are() -> None:
    """The order of class-maps, policy-maps and lists says nothing (ios-facts N25); that of a list's entries does."""
    lists = [
        "ipv6 access-list a\n permit ipv6 any host 1::1\n permit ipv6 any host 1::2\n",
        "class-map match-all C\n",
    ]
    one, other = f"{lists[0]}{lists[1]}end\n", f"{lists[1]}{lists[0]}end\n"
    assert unsaved_difference(other, one) == ()
    turned = one.replace("1::1", "x").replace("1::2", "1::1").replace("x", "1::2")
    assert len(unsaved_difference(turned, one)) == 2


def test_an_empty_nvram_lacks_everything() -> None:
    assert all(line.startswith("+ ") for line in unsaved_difference(STARTUP, ""))
    assert len(unsaved_difference(STARTUP, "")) == 7


SHOW_INTERFACES = """\
POS1/0 is up, line protocol is up
  Hardware is Packet over SONET
  MTU 4470 bytes, BW 155000 Kbit, DLY 100 usec, rely 255/255, load 1/255
GigabitEthernet0/1 is administratively down, line protocol is down (disabled)
  MTU 1500 bytes, BW 1000000 Kbit/sec, DLY 10 usec,
TenGigabitEthernet0/2 is down, line protocol is down
  MTU 1500 bytes, BW 10 Gbit/sec
Null0 is up, line protocol is up
"""


def test_interfaces_of_any_era() -> None:
    found = {fact.name: (fact.bw_bps, fact.admin_up, fact.line_up) for fact in interfaces(SHOW_INTERFACES)}
    assert found == {
        "POS1/0": (155_000_000, True, True),
        "GigabitEthernet0/1": (1_000_000_000, False, False),
        "TenGigabitEthernet0/2": (10_000_000_000, True, False),
        "Null0": (None, True, True),
    }


def test_facts_of_a_router_that_says_little() -> None:
    told = facts("IOS (tm) GS Software (C12KPRP-P-M), Version 12.0(28)S, RELEASE SOFTWARE\n", "nl6")
    assert (told.hostname, told.version, told.serial, told.image) == ("nl6", "12.0(28)S", "", "")


def test_half_a_configuration_is_not_whole() -> None:
    assert is_whole("version 12.3\nend\n") and is_whole("startup-config is not present")
    assert not is_whole("version 12.3\ninterface POS1/0\n") and not is_whole("")


@pytest.mark.parametrize(
    "lines", [(), ("a", "b", "c"), ("",), ("  ",), ("a\nb",), ("a\x16",), (" a",), ("a?",), ("é",)]
)
def test_a_write_that_cannot_be_meant_is_not_made(lines: tuple[str, ...]) -> None:
    with pytest.raises(InvalidInput) as caught:
        WriteUnit(lines)
    assert caught.value.field == "lines"


def test_a_target_never_shows_its_secrets() -> None:
    target = Target("nl6", "192.0.2.1", 22, "noc", "letmein", "raise", "", "legacy", "cisco-12400")
    assert "letmein" not in repr(target) and "raise" not in repr(target)
    for changes, field in (({"host": "a b"}, "host"), ({"port": 0}, "port"), ({"username": ""}, "username")):
        values = {name: getattr(target, name) for name in Target.__slots__}
        with pytest.raises(InvalidInput) as caught:
            Target(**{**values, **changes})
        assert caught.value.field == field


def test_auto_goes_by_how_many_and_by_the_way() -> None:
    usual = Target("nl6", "192.0.2.1", 22, "noc", "letmein", "raise", "", "modern", "cisco-12400", "auto")
    jump = replace(usual, name="bastion", driver="asyncssh")
    few, many = (replace(usual, among=MANY_ROUTERS["modern"] - less) for less in (1, 0))
    assert [choose(each) for each in (usual, few, many)] == ["netmiko", "netmiko", "asyncssh"]
    assert choose(replace(usual, ssh_profile="legacy")) == "asyncssh"
    assert set(MANY_ROUTERS) == set(PROFILES)
    assert choose(replace(usual, jump=jump)) == "asyncssh"
    for driver, named in (("telnet", "unknown driver 'telnet'"), ("netmiko", "behind a jump host")):
        with pytest.raises(InvalidInput, match=named) as caught:
            choose(replace(usual, jump=jump, driver=driver))
        assert caught.value.field == "driver"
    assert set(DRIVERS) == set(reading.DRIVERS) == set(Router.Driver.values)


@pytest.mark.parametrize("wrong", [{"reply": 0}, {"connect": 4000}, {"settle": -1}, {"attempts": 0}])
def test_waits_are_bounded(wrong: dict[str, float]) -> None:
    with pytest.raises(InvalidInput) as caught:
        Timeouts(**wrong)  # type: ignore[arg-type]
    assert caught.value.field in wrong
    assert Timeouts.bounded_by(3).read == 3


def test_modern_offers_nothing_old_and_a_pinned_key_is_asked_for_first() -> None:
    for offered in (MODERN.key_exchange, MODERN.ciphers, MODERN.digests, MODERN.host_keys):
        assert not [
            name for name in offered if "sha1" in name or "cbc" in name or "md5" in name or name == "ssh-rsa"
        ]
    assert set(MODERN.key_exchange) < set(LEGACY.key_exchange)
    pinned = PinnedKey("ssh-rsa", b"")
    assert pinned.algorithms(LEGACY.host_keys)[0] == "rsa-sha2-512"
    assert sorted(pinned.algorithms(LEGACY.host_keys)) == sorted(LEGACY.host_keys)


def test_what_a_shell_says_in_no_known_words_is_an_error_of_the_device_to_who_writes() -> None:
    class Mute(ShellDriver):
        def _reached(self) -> Any:
            return SimpleNamespace(run=lambda _script, _seconds: Done(0, "=== host\n", ""))

    target = Target("l1", "192.0.2.1", 22, "root", "", "", "ssh-ed25519 AAAA", "modern", "linux", ios="6.1")
    driver = Mute(target, Timeouts())
    with pytest.raises(ParseFailure):
        driver.running_config()
    for write in (driver.save, lambda: next(driver.configure([WriteUnit(("x",))], lambda *_: None))):
        with pytest.raises(DeviceError, match="what l1 holds cannot be read"):
            write()
