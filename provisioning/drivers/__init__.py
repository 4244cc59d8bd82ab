"""The only code that speaks SSH (architecture, rule 4). ``connect`` opens a session; the rest are its
values."""

from __future__ import annotations

from provisioning.drivers.base import (
    Facts,
    InterfaceFact,
    RouterDriver,
    Target,
    Timeouts,
    TranscriptLine,
    UnitReply,
    VtyRefused,
    WriteUnit,
)
from provisioning.drivers.judging import judge
from provisioning.drivers.redaction import without_secrets
from provisioning.errors import InvalidInput

__all__ = [
    "Facts",
    "InterfaceFact",
    "RouterDriver",
    "Target",
    "Timeouts",
    "TranscriptLine",
    "UnitReply",
    "VtyRefused",
    "WriteUnit",
    "connect",
    "judge",
    "without_secrets",
]


def connect(target: Target, *, timeout: Timeouts | float | None = None) -> RouterDriver:
    """A privileged session with ``target``; ``timeout`` is every wait, or the seconds none of them may
    exceed.

    Raises ``Unreachable`` (``VtyRefused`` when the router answers but gives no session), ``HostKeyChanged``,
    ``AuthenticationRefused`` (field ``password`` or ``enable``), or ``InvalidInput`` for a target that
    cannot be meant.
    """
    timeouts = timeout if isinstance(timeout, Timeouts) else Timeouts()
    if isinstance(timeout, int | float):
        timeouts = Timeouts.bounded_by(timeout)
    # Imported when used: netmiko and napalm take a second to import, which no page or plan should wait for.
    if target.driver == "netmiko":
        from provisioning.drivers.netmiko import NetmikoDriver

        return NetmikoDriver(target, timeouts)
    if target.driver == "napalm":
        from provisioning.drivers.napalm import NapalmDriver

        return NapalmDriver(target, timeouts)
    raise InvalidInput(f"unknown driver {target.driver!r}; one of netmiko, napalm", field="driver")
