"""The text of a large edge router, as `show running-config` prints it, with our own names and numbers."""

from __future__ import annotations

from dataclasses import dataclass

_HEADER = """Building configuration...

Current configuration : {size} bytes
!
! Last configuration change at 10:12:41 UTC Mon Mar 1 2027 by noc
version 15.3
service timestamps debug datetime msec
service timestamps log datetime msec
service password-encryption
!
hostname bench6
!
boot-start-marker
boot-end-marker
!
aaa new-model
aaa authentication login default group tacacs+ local
aaa authorization exec default group tacacs+ local
!
ip cef
ipv6 unicast-routing
ipv6 cef
!
crypto pki trustpoint BENCH
 enrollment selfsigned
 revocation-check none
!
crypto pki certificate chain BENCH
 certificate self-signed 01
"""
_FOOTER = """!
ip forward-protocol nd
no ip http server
ip access-list standard MANAGERS
 permit 192.0.2.0 0.0.0.255
!
logging host 192.0.2.9
snmp-server community readers RO MANAGERS
!
banner motd ^C
This router serves interface, class-map and policy-map alike.
Only those who are asked to may enter.
^C
!
line con 0
line vty 0 4
 access-class MANAGERS in
 transport input ssh
!
ntp server 192.0.2.10
end
"""


@dataclass(frozen=True)
class Size:
    """How many of each a router holds; 24,000 lines come of the numbers that stand here."""

    interfaces: int = 2000
    policies: int = 60
    class_maps: int = 200
    access_lists: int = 100

    def times(self, factor: float) -> Size:
        counts = (self.interfaces, self.policies, self.class_maps, self.access_lists)
        return Size(*(round(factor * count) for count in counts))


def running_config(size: Size, *, rate: int = 5) -> str:
    """The router with every class policed to `rate` per cent."""
    lines = [f"  {number:08X} 30820122 300D0609 2A864886 F70D0101 01050003 82010F00" for number in range(40)]
    lines.append("  \tquit")
    for number in range(size.class_maps):
        lines += [f"class-map match-all CM-{number}", *_matches(size, number), "!"]
    for number in range(size.policies):
        lines += [f"policy-map PM-{number}", *_classes(number, rate), "!"]
    for number in range(size.interfaces):
        lines += [*_interface(size, number), "!"]
    lines += ["router bgp 65000", " bgp log-neighbor-changes", " no bgp default ipv4-unicast"]
    for number in range(size.interfaces // 20):
        lines.append(f" neighbor 2001:DB8:{number:X}::2 remote-as {64512 + number % 1000}")
        lines.append(f" neighbor 2001:DB8:{number:X}::2 description peer {number}")
    lines.append("!")
    for number in range(size.access_lists):
        lines += [*_access_list(number), "!"]
    body = "\n".join(lines)
    return f"{_HEADER.format(size=len(body))}{body}\n{_FOOTER}"


def _matches(size: Size, number: int) -> list[str]:
    if number < size.access_lists:
        return [f" match access-group name AUTH-{number}"]
    return [f" match  dscp {number % 64} "]


def _classes(number: int, rate: int) -> list[str]:
    lines = [f" description treatment {number}"]
    for member in range(3):
        lines += [
            f" class CM-{3 * number + member}",
            f"   police cir percent {rate}",
            "     conform-action transmit ",
            "     exceed-action drop ",
        ]
    return [*lines, " class class-default", "  set dscp default"]


def _interface(size: Size, number: int) -> list[str]:
    return [
        f"interface GigabitEthernet{number // 480}/{number // 48 % 10}/{number % 48}.{number // 48 + 100}",
        f" description customer {number}, circuit {7 * number:06d}",
        f" encapsulation dot1Q {number % 4000 + 2}",
        f" ip address 10.{number >> 8 & 255}.{number & 255}.1 255.255.255.252",
        " no ip redirects",
        " no ip proxy-arp",
        f" ipv6 address 2001:DB8:{number:X}::1/64",
        " ipv6 nd ra suppress",
        f" service-policy input PM-{number % size.policies}",
    ]


def _access_list(number: int) -> list[str]:
    if number % 4 == 0:
        entries = [
            f" permit ip 198.51.{entry}.0 0.0.0.255 host 203.0.{number % 256}.{entry}" for entry in range(16)
        ]
        return [f"ip access-list extended AUTH-{number}", *entries]
    return [
        f"ipv6 access-list AUTH-{number}",
        *(f" permit ipv6 2001:DB8:{number:X}:{entry:X}::/64 2001:DB8:FFFF::/48" for entry in range(16)),
    ]
