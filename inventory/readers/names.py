"""What may be a name: names reach link identifiers, router configuration and pages, so they are narrow on
purpose.
"""

from __future__ import annotations

import base64
import binascii
import re

from inventory.readers.section import Section

_HOSTNAME = re.compile(r"[A-Za-z](?:[A-Za-z0-9-]{0,61}[A-Za-z0-9])?")
_INTERFACE = re.compile(r"([A-Z][A-Za-z-]*)(?:[0-9]+(?:/[0-9]+)*(?::[0-9]+)?(?:\.[0-9]+)?)")
_HOST = re.compile(r"[A-Za-z0-9](?:[A-Za-z0-9.:_-]{0,253}[A-Za-z0-9])?")
_PVC = re.compile(r"[0-9]{1,3}/[0-9]{1,5}")
_PLATFORM = re.compile(r"[a-z0-9](?:[a-z0-9-]{0,30}[a-z0-9])?")
_RELEASE = re.compile(r"[0-9]{1,2}\.[0-9]{1,2}(?:\([0-9A-Za-z.]+\)[A-Za-z]*[0-9]*[a-z]?|\.[0-9A-Za-z.]+)?")
_KEY_TYPES = (
    "ssh-rsa",
    "ssh-dss",
    "ssh-ed25519",
    "ecdsa-sha2-nistp256",
    "ecdsa-sha2-nistp384",
    "ecdsa-sha2-nistp521",
)
_INTERFACE_TYPES = (
    "POS", "GigabitEthernet", "FastEthernet", "TenGigabitEthernet", "Ethernet", "ATM", "Serial", "Hssi",
    "SRP", "Loopback", "Tunnel", "Port-channel", "Multilink", "Null", "Vlan", "BVI", "Dialer",
)  # fmt: skip


def router_name(section: Section, key: str) -> str:
    """Return a host name IOS accepts: letters, digits and inner hyphens, at most 63, a letter first."""
    return _matching(section, key, _HOSTNAME, "must be a host name of letters, digits and inner hyphens")


def organisation_name(section: Section, key: str) -> str:
    """Return the name of an NREN, a peer or a domain, free of the marks that link identifiers use."""
    value = section.text(key, longest=64)
    if any(mark in value for mark in ("@", ":", "/", "--", '"', "|")):
        section.fail('must not contain @ : / -- | or "', key)
    return value


def interface_name(section: Section, key: str, value: object) -> str:
    """Return an interface name spelled as IOS prints it in a running-config, ``POS1/0`` or ``ATM2/0.1``."""
    if not isinstance(value, str) or len(value) > 64:
        section.fail("must be an interface name such as POS1/0", key)
    match = _INTERFACE.fullmatch(value)
    if match is None:
        section.fail(f"must be an interface name such as POS1/0, not {value!r}", key)
    kind = match.group(1)
    if kind not in _INTERFACE_TYPES:
        for known in _INTERFACE_TYPES:
            if known.lower().startswith(kind.lower()):
                section.fail(f"must be spelled as IOS prints it, {known}...: not {value!r}", key)
    return value


def pvc(section: Section, key: str) -> str:
    """Return a PVC as ``VPI/VCI``, "" when not given."""
    return _matching(section, key, _PVC, "must be a PVC such as 0/32", default="")


def platform(section: Section, key: str) -> str:
    """Return a platform name in small letters, such as cisco-12400."""
    return _matching(section, key, _PLATFORM, "must be a platform name such as cisco-12400")


def ios_release(section: Section, key: str) -> str:
    """Return an IOS release, such as 12.0(28)S."""
    return _matching(section, key, _RELEASE, "must be an IOS release such as 12.0(28)S")


def country(section: Section, key: str) -> str:
    """Return two small letters."""
    return _matching(section, key, re.compile(r"[a-z]{2}"), "must be a country code of two small letters")


def management_host(section: Section, key: str) -> str:
    """Return a host name or an address to connect to."""
    return _matching(section, key, _HOST, "must be a host name or an IP address")


def host_key(section: Section, key: str) -> str:
    """Return a pinned SSH host key as ``type base64``, "" when not given; a comment after it is dropped."""
    value = section.text(key, "", longest=4000)
    if value == "":
        return ""
    kind, _, rest = value.partition(" ")
    if kind not in _KEY_TYPES:
        section.fail(f"must begin with a host key type ({', '.join(_KEY_TYPES)})", key)
    encoded = rest.split(" ")[0]
    try:
        blob = base64.b64decode(encoded, validate=True)
    except binascii.Error:
        section.fail("must be a key type and base64", key)
    if blob[4 : 4 + len(kind)] != kind.encode() or int.from_bytes(blob[:4], "big") != len(kind):
        section.fail(f"is not a key of the type {kind}", key)
    return f"{kind} {encoded}"


def _matching(
    section: Section, key: str, pattern: re.Pattern[str], reason: str, default: str | None = None
) -> str:
    value = section.take(key) if default is None else section.take(key, default)
    if value == default and default is not None:
        return default
    if not isinstance(value, str) or pattern.fullmatch(value) is None:
        section.fail(
            f"{reason}, not {value!r}" if isinstance(value, str) and len(value) < 80 else reason, key
        )
    return value
