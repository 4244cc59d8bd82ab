"""SSH crypto profiles: what a router of its age can speak (ios-facts 3.10).

``modern`` offers nothing with SHA-1, CBC or MD5. ``legacy`` offers the same first and then what IOS 12.x has:
group14/group1 with SHA-1, AES and 3DES in CBC mode, ssh-rsa. Which of the two a router gets is its own
row's choice; nothing falls back by itself.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Final

from provisioning.errors import InvalidInput


@dataclass(frozen=True, slots=True)
class SshProfile:
    """Algorithms in order of preference, as SSH names them."""

    name: str
    key_exchange: tuple[str, ...]
    ciphers: tuple[str, ...]
    digests: tuple[str, ...]
    host_keys: tuple[str, ...]


MODERN: Final = SshProfile(
    name="modern",
    key_exchange=(
        "curve25519-sha256@libssh.org",
        "ecdh-sha2-nistp256",
        "ecdh-sha2-nistp384",
        "ecdh-sha2-nistp521",
        "diffie-hellman-group16-sha512",
        "diffie-hellman-group-exchange-sha256",
        "diffie-hellman-group14-sha256",
    ),
    ciphers=("aes128-gcm@openssh.com", "aes256-gcm@openssh.com", "aes128-ctr", "aes192-ctr", "aes256-ctr"),
    digests=(
        "hmac-sha2-256-etm@openssh.com",
        "hmac-sha2-512-etm@openssh.com",
        "hmac-sha2-256",
        "hmac-sha2-512",
    ),
    host_keys=(
        "ssh-ed25519",
        "ecdsa-sha2-nistp256",
        "ecdsa-sha2-nistp384",
        "ecdsa-sha2-nistp521",
        "rsa-sha2-512",
        "rsa-sha2-256",
    ),
)

LEGACY: Final = SshProfile(
    name="legacy",
    key_exchange=(
        *MODERN.key_exchange,
        "diffie-hellman-group14-sha1",
        "diffie-hellman-group-exchange-sha1",
        "diffie-hellman-group1-sha1",
    ),
    ciphers=(*MODERN.ciphers, "aes128-cbc", "aes192-cbc", "aes256-cbc", "3des-cbc"),
    digests=(*MODERN.digests, "hmac-sha1", "hmac-sha1-96", "hmac-md5", "hmac-md5-96"),
    host_keys=(*MODERN.host_keys, "ssh-rsa"),
)

PROFILES: Final[Mapping[str, SshProfile]] = MappingProxyType({"modern": MODERN, "legacy": LEGACY})


def ssh_profile(name: str) -> SshProfile:
    """The profile of that name; ``InvalidInput`` names the field and the choices."""
    try:
        return PROFILES[name]
    except KeyError:
        raise InvalidInput(
            f"unknown SSH profile {name!r}; one of {', '.join(PROFILES)}", field="ssh_profile"
        ) from None
