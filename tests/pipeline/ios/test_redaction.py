"""A stored running-config has no secret in it, and everything else (architecture, "Secrets")."""

from __future__ import annotations

import pytest

from provisioning.pipeline import ios

SECRET = "s3cr3t-Value"
LINES = [
    "enable secret 5 {}",
    "enable secret level 15 0 {}",
    "username ops privilege 15 secret 9 {}",
    "username ops password 7 {}",
    "snmp-server community {} RO 23",
    "snmp-server host 192.0.2.1 version 2c {}",
    "snmp-server host 192.0.2.1 traps {} bgp",
    "snmp-server user ops group v3 auth sha {} priv aes 128 {}",
    "tacacs-server host 192.0.2.1 key 7 {}",
    "tacacs-server key {}",
    "radius-server host 192.0.2.1 auth-port 1812 key {}",
    " key 7 {}",
    " neighbor 192.0.2.1 password 7 {}",
    " ip ospf authentication-key {}",
    " ip ospf message-digest-key 1 md5 7 {}",
    " isis password {}",
    " domain-password {}",
    "  key-string 7 {}",
    "ntp authentication-key 1 md5 {} 7",
    "crypto isakmp key {} address 192.0.2.1",
    " pre-shared-key local {}",
    " ppp chap password 7 {}",
    " ppp pap sent-username site password 7 {}",
    " standby 1 authentication {}",
    " password 7 {}",
    "ip ftp password {}",
    " archive path ftp://ops:{}@192.0.2.1/config",
    "enable algorithm-type scrypt secret {}",
    "enable password {}",
    "snmp-server host 192.0.2.1 traps vrf MGMT {}",
    "snmp-server user ops group v3 auth sha-2 256 {} priv 3des {}",
    "snmp mib community-map {} context c",
    " digest secret 0 {}",
    " ip nhrp authentication {}",
    " authentication mode hmac-sha-256 {}",
    " ip rsvp authentication key 7 {}",
    " ospfv3 1 authentication ipsec spi 256 {}",
    "mpls ldp neighbor vrf X 192.0.2.1 password 7 {}",
    "vpdn l2tp tunnel password 7 {}",
    "ip wccp web-cache password 7 {}",
    "kerberos srvtab entry {}",
    " bind authenticate root-dn cn=x password 0 {}",
    " wpa-psk ascii 0 {}",
    " client 192.0.2.2 server-key 7 {}",
    " lsp-password {}",
    " cts credentials id x password 7 {}",
    "crypto pki token default user-pin 0 {}",
    "event manager environment _api_key {}",
    ' action 1 mail server "ops:{}@192.0.2.1"',
]


@pytest.mark.parametrize("line", LINES)
@pytest.mark.parametrize("end", ["\n", "\r\n"])
def test_a_secret_is_removed_and_nothing_else(line: str, end: str) -> None:
    text = f"hostname r{end}{line.format(SECRET, SECRET)}{end}end{end}"
    redacted = ios.redact(text)
    assert SECRET not in redacted
    assert redacted == text.replace(SECRET, "<removed>")
    assert ios.redact(redacted) == redacted


@pytest.mark.parametrize(
    "line",
    [
        "enable password two {} words",
        " password 7 {} {}",
        " neighbor PG password two {}",
        "  key-string a long {}",
        "radius-server host 192.0.2.1 key two {}",
        "mpls ldp password option 1 for 10 7 {}",
        "ip msdp password peer 192.0.2.1 7 {}",
        " set session-key inbound esp 256 cipher {} authenticator {}",
        " ipv6 ospf encryption ipsec spi 1001 esp aes-cbc 128 {} sha1 {}",
        " area 0 encryption ipsec spi 1 esp 3des {} md5 0 {}",
        " encryption vlan 1 key 1 size 40bit 7 {} transmit-key",
        "  add http://x/u?user=a&password={}&h=1",
        "  chat-script login ABORT ERROR {}",
        " PASSWORD {}",
        " pre-shared-key address 192.0.2.1 key {}",
        " pre-shared-key hostname peer key 6 {}",
        "key config-key password-encrypt {}",
        " password a\x0b{}",
        " tunnel key {}",
        "wlccp authentication {}",
        "event manager environment _mail_pw {}",
        "event manager environment smtp_password two words {}",
    ],
)
def test_a_secret_goes_wherever_on_the_line_it_stands(line: str) -> None:
    redacted = ios.redact(line.format(SECRET, SECRET))
    assert SECRET not in redacted and "<removed>" in redacted
    assert ios.redact(redacted) == redacted


@pytest.mark.parametrize(
    "line",
    [
        "ntp server 192.0.2.1 key 1 prefer",
        "ntp trusted-key 1 - 3",
        " mka pre-shared-key key-chain KC",
        " ip rip authentication key-chain KC",
        "event manager environment _site Athens",
        " ip authentication mode eigrp 1 md5",
        "class-map match-all password",
        " service-policy input secret",
        "service password-encryption",
        "key chain ISIS",
        " key 1",
        "aaa authentication login default local",
        " description password of nobody",
        "snmp-server location Athens",
        "snmp-server enable traps bgp",
        "crypto key generate rsa",
        "security passwords min-length 8",
        "ip ssh version 2",
        " match access-group name password-list",
        "no snmp-server community",
    ],
)
def test_what_is_no_secret_stays(line: str) -> None:
    assert ios.redact(line) == line


def test_redaction_changes_nothing_the_parser_reads() -> None:
    text = (
        "version 12.4\nusername ops secret 5 $1$x\nclass-map match-all A\n match dscp ef\n!\ninterface POS1/0\n"
        " service-policy input P\nline vty 0 4\n password 7 0000\nend\n"
    )
    assert ios.parse(ios.redact(text)) == ios.parse(text)


def test_a_line_that_is_no_command_is_removed_whole_and_quickly() -> None:
    long = "username a " * 100_000 + "password x\n"
    assert ios.redact(f"hostname r\n{long}end\n") == "hostname r\n<removed>\nend\n"


def test_the_longest_line_that_is_searched() -> None:
    command = "username a password 7 "
    kept = command + "x" * (4096 - len(command))
    assert ios.redact(kept) == f"{command}<removed>"
    assert ios.redact(f"{kept}x") == "<removed>"
