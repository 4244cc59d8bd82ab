"""NAPALM's ``ios`` getters over the same pinned session; writing stays with the line engine.

``configure`` is inherited, not NAPALM's merge. NAPALM copies a file into running-config and takes
everything but "Invalid input detected" for success, then saves; its rollback is ``configure replace`` with
the output ignored, which does nothing on 12.0S and 12.2T (ios-facts 3.11). A refused policy would count as
pushed, so it is never used for that.
"""

from __future__ import annotations

from typing import Any, Final

from napalm.base.exceptions import ConnectionClosedException
from napalm.ios.ios import IOSDriver

from provisioning.drivers import reading
from provisioning.drivers.base import Facts, InterfaceFact, Shown
from provisioning.drivers.netmiko import NetmikoDriver
from provisioning.drivers.ssh import PinnedIosConnection

_UNKNOWN: Final = "Unknown"


class _Getters(IOSDriver):  # type: ignore[misc] # napalm has no types
    """NAPALM's driver on a connection that exists already: it never opens one (its own would accept any
    host key)."""

    def __init__(self, connection: PinnedIosConnection) -> None:
        target = connection.target
        super().__init__(target.host, target.username, "", optional_args={"auto_file_prompt": False})
        self.device = connection

    def __del__(self) -> None:
        """Nothing: NAPALM's own types a NUL byte into the session to see whether it lives, then closes it."""

    def open(self) -> None:
        """Refused: this one only reads over the session it was given."""
        raise ConnectionClosedException("getters use the session they were given")


class NapalmDriver(NetmikoDriver):
    """Facts, configurations and interfaces through NAPALM; everything else as ``NetmikoDriver``."""

    def facts(self) -> Facts:
        """NAPALM's ``get_facts``; the image, which it has no getter for, from ``show version``."""
        told: dict[str, Any] = self._trying("facts", lambda connection: _Getters(connection).get_facts())
        by_cli = super().facts()
        return Facts(
            hostname=_known(told["hostname"]) or by_cli.hostname,
            platform_text=_known(told["model"]),
            version=by_cli.version or _known(told["os_version"]),
            serial=_known(told["serial_number"]).split(",")[0],
            image=by_cli.image,
            up_s=by_cli.up_s,
        )

    def interfaces(self) -> tuple[InterfaceFact, ...]:
        """NAPALM's ``get_interfaces``: its speed is the BW line in Mbit/s, here in bit/s again."""
        told: dict[str, Any] = self._trying(
            "interfaces", lambda connection: _Getters(connection).get_interfaces()
        )
        return tuple(
            InterfaceFact(
                name=name,
                bw_bps=round(float(value["speed"]) * 1_000_000),
                admin_up=bool(value["is_enabled"]),
                line_up=bool(value["is_up"]),
            )
            for name, value in told.items()
        )

    def running_config(self) -> str:
        """NAPALM's ``get_config("running")``: without IOS's header lines. It holds secrets."""
        return self._checked("show running-config", self._config("running"))

    def startup_config(self) -> str:
        """NAPALM's ``get_config("startup")``; empty when NVRAM holds none. It holds secrets."""
        text = self._config("startup")
        return "" if reading.has_no_startup(text) else self._checked("show startup-config", text)

    def shown(self) -> Shown:
        """One after the other: NAPALM asks for one at a time."""
        return Shown(self.interfaces(), self.running_config(), self.startup_config())

    def _config(self, which: str) -> str:
        told: dict[str, str] = self._trying(
            f"{which}-config", lambda connection: _Getters(connection).get_config(retrieve=which)
        )
        return told[which]


def _known(value: object) -> str:
    text = str(value).strip()
    return "" if text == _UNKNOWN else text
