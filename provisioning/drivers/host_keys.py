"""Host keys are pinned: no session without the key on record, and nothing secret sent before that is sure.

Netmiko's default accepts whatever key is presented (it sets paramiko's AutoAddPolicy), and its strict mode
compares with the known_hosts file of whoever runs the worker. Both are wrong here: the one right key is in
the router's row.
"""

from __future__ import annotations

import base64
import binascii
import hashlib
import hmac
from dataclasses import dataclass

from provisioning.errors import HostKeyChanged, InvalidInput

RSA_SIGNATURES = ("rsa-sha2-512", "rsa-sha2-256", "ssh-rsa")


@dataclass(frozen=True, slots=True)
class PinnedKey:
    """A public host key: its type as SSH names it and its wire form."""

    kind: str
    blob: bytes

    @classmethod
    def parse(cls, text: str) -> PinnedKey:
        """Read ``type base64 [comment]``; ``InvalidInput(field="host_key")`` for anything else."""
        words = text.split()
        if len(words) < 2:
            raise InvalidInput("no host key is pinned; expected 'type base64'", field="host_key")
        try:
            blob = base64.b64decode(words[1], validate=True)
        except (binascii.Error, ValueError):
            raise InvalidInput("the pinned host key is not base64", field="host_key") from None
        length = int.from_bytes(blob[:4], "big")
        if blob[4 : 4 + length] != words[0].encode():
            raise InvalidInput(f"the pinned host key is not of type {words[0]}", field="host_key")
        return cls(kind=words[0], blob=blob)

    @property
    def fingerprint(self) -> str:
        """``SHA256:...`` as OpenSSH prints it."""
        return fingerprint(self.blob)

    def demand(self, hostname: str, kind: str, blob: bytes) -> None:
        """Return for this key, raise ``HostKeyChanged`` (both fingerprints in its details) for any other.

        Every driver asks after the key exchange and before any authentication.
        """
        if not hmac.compare_digest(blob, self.blob):
            raise HostKeyChanged(
                f"{hostname} presented host key {fingerprint(blob)} ({kind}), "
                f"pinned is {self.fingerprint} ({self.kind}); no credential was sent",
                field="host_key",
                presented=fingerprint(blob),
                pinned=self.fingerprint,
            )

    def algorithms(self, offered: tuple[str, ...]) -> tuple[str, ...]:
        """``offered`` with this key's own signature algorithms first.

        A router with keys of several types then presents the pinned one, while a router whose key is now of
        another type still gets far enough to be recognised as changed rather than as incompatible.
        """
        own = RSA_SIGNATURES if self.kind == "ssh-rsa" else (self.kind,)
        first = tuple(name for name in offered if name in own)
        return first + tuple(name for name in offered if name not in own)


def fingerprint(blob: bytes) -> str:
    """The SHA256 fingerprint of a key's wire form, as OpenSSH prints it."""
    return "SHA256:" + base64.b64encode(hashlib.sha256(blob).digest()).decode().rstrip("=")
