"""The driver that opens its sessions with Netmiko (``ssh``)."""

from __future__ import annotations

from provisioning.drivers.session import SessionDriver
from provisioning.drivers.ssh import PinnedIosConnection


class NetmikoDriver(SessionDriver[PinnedIosConnection]):
    """A session over ``netmiko``."""

    def _open(self) -> PinnedIosConnection:
        return PinnedIosConnection(self._target, self._timeouts, self._transcript)
