"""What a router holds before anyone configured QoS: the ports of its cards, and a plausible configuration."""

from __future__ import annotations

from lab.names import parent_of
from lab.spec import RouterSpec
from lab.store import Configuration, Interface


def empty_configuration(spec: RouterSpec) -> Configuration:
    """The ports the chassis has, shut down as they come, and nothing else."""
    config = Configuration(hostname="Router")
    config.interfaces["Loopback0"] = Interface("Loopback0", 8_000_000)
    for item in spec.interfaces:
        port = parent_of(item.name)
        if port not in config.interfaces and ("/" in port or spec.running_config is not None):
            config.interfaces[port] = Interface(port, item.bandwidth_kbit, shutdown=False)
    return config


def default_configuration(spec: RouterSpec) -> str:
    """A running-config of a backbone router of the time; the secrets in it are invented."""
    number = 1 + sum(ord(char) for char in spec.name) % 200
    lines = [
        "service timestamps debug datetime msec",
        "service timestamps log datetime msec",
        "service password-encryption",
        f"hostname {spec.name}",
        "logging buffered 32768",
    ]
    if spec.enable:
        lines.append(f"enable secret 5 $1${spec.name[:4]}$Xk3vTq0mZ9LwB2uYc7pRd.")
    lines += [
        f"username {spec.username} password 7 0822455D0A16544541",
        "clock timezone UTC 0",
        "ip subnet-zero",
        "ip cef",
        "no ip domain-lookup",
        "ip domain-name practice.example.net",
        "ipv6 unicast-routing",
        "ipv6 cef",
        "interface Loopback0",
        f" ip address 192.0.2.{number} 255.255.255.255",
        f" ipv6 address 2001:DB8:FF::{number:X}/128",
        " ipv6 router isis BACKBONE",
    ]
    for port in dict.fromkeys(parent_of(item.name) for item in spec.interfaces):
        if port not in {item.name for item in spec.interfaces}:
            lines.append(f"interface {port}")
    for item in spec.interfaces:
        point = " point-to-point" if item.name.startswith("ATM") and "." in item.name else ""
        lines.append(f"interface {item.name}{point}")
        if item.description:
            lines.append(f" description {item.description}")
        if item.ipv6:
            lines.append(f" ipv6 address {item.ipv6}")
        if item.shutdown:
            lines.append(" shutdown")
        if item.name.startswith("POS"):
            lines += [" crc 32", " pos scramble-atm"]
        if item.pvc:
            lines.append(f" pvc {item.pvc}")
            if item.pvc_rate_kbit:
                lines.append(f"  vbr-nrt {item.pvc_rate_kbit} {item.pvc_rate_kbit}")
            lines.append("  encapsulation aal5snap")
    lines += [
        "router isis BACKBONE",
        f" net 49.0001.1920.0000.2{number:03d}.00",
        " is-type level-2-only",
        " metric-style wide",
        "ip classless",
        "no ip http server",
        "snmp-server community practice-r3ad RO",
        "snmp-server location practice rack",
        "banner motd ^C",
        f"{spec.name}: practice router. Authorised use only.",
        "policy-map EXAMPLE",
        " class EXAMPLE",
        "  this is text of a banner and configures nothing",
        "^C",
        "line con 0",
        " exec-timeout 0 0",
        "line vty 0 4",
        " exec-timeout 30 0",
        " login local",
        " transport input ssh",
        "ntp clock-period 17180071",
        "ntp server 2001:DB8:FF::1",
        "end",
    ]
    return "\n".join(lines) + "\n"
