"""The only code that speaks SSH (architecture, rule 4). ``connect`` opens a session; the rest are its
values. How a reply is judged and a secret removed is not among them: whoever only names a router's target loads neither."""

from __future__ import annotations

from provisioning.drivers.base import (
    Facts,
    InterfaceFact,
    RouterDriver,
    Shown,
    Target,
    Timeouts,
    TranscriptLine,
    UnitReply,
    VtyRefused,
    WriteUnit,
)
from provisioning.errors import InvalidInput
from provisioning.pipeline.platforms import has_shell

__all__ = [
    "Facts",
    "InterfaceFact",
    "RouterDriver",
    "Shown",
    "Target",
    "Timeouts",
    "TranscriptLine",
    "UnitReply",
    "VtyRefused",
    "WriteUnit",
    "choose",
    "connect",
    "why_no_shell",
]


DRIVERS = ("netmiko", "napalm", "asyncssh", "auto")
OF_A_SHELL = ("netmiko", "auto")
"""What may be named for a router with a shell: it is spoken to over paramiko, as Netmiko does."""
MANY_ROUTERS = {"legacy": 1, "modern": 8}
"""By SSH profile: where so many routers or more are spoken to for one purpose, a session over asyncssh takes less CPU than one
over Netmiko, and ``auto`` opens it with asyncssh (decision 37, ``make bench ONLY=sessions``)."""


def why_no_shell(driver: str) -> str:
    """Why a router with a shell is not spoken to by this driver; empty where it is."""
    return "" if driver in OF_A_SHELL else f"{driver} speaks to no shell; one of {', '.join(OF_A_SHELL)}"


def choose(target: Target) -> str:
    """The driver of a session with ``target``.

    ``auto`` takes what is cheaper for the target's profile and for so many routers (``Target.among``), and asyncssh wherever
    a jump host is on the way. Raises ``InvalidInput`` for a driver there is none of, or one that does not go the target's way.
    """
    if target.driver not in DRIVERS:
        raise InvalidInput(f"unknown driver {target.driver!r}; one of {', '.join(DRIVERS)}", field="driver")
    if target.driver == "auto":
        many = target.among >= MANY_ROUTERS.get(target.ssh_profile, 1)
        return "asyncssh" if many or target.jump is not None else "netmiko"
    if target.jump is not None and target.driver != "asyncssh":
        raise InvalidInput(
            f"{target.name} is behind a jump host, and {target.driver} goes through none; name asyncssh or auto",
            field="driver",
        )
    return target.driver


def connect(target: Target, *, timeout: Timeouts | float | None = None) -> RouterDriver:
    """A privileged session with ``target``; ``timeout`` is every wait, or the seconds none of them may
    exceed. Which driver it is: see ``choose``.

    Raises ``Unreachable`` (``VtyRefused`` when the router answers but gives no session), ``HostKeyChanged``,
    ``AuthenticationRefused`` (field ``password`` or ``enable``), or ``InvalidInput`` for a target that
    cannot be meant.
    """
    timeouts = timeout if isinstance(timeout, Timeouts) else Timeouts()
    if isinstance(timeout, int | float):
        timeouts = Timeouts.bounded_by(timeout)
    if has_shell(target.platform):
        why = why_no_shell(target.driver)
        if not why and target.jump is not None:
            why = "it has a shell, and no jump host leads to one"
        if why:
            raise InvalidInput(f"{target.name}: {why}", field="driver")
        from provisioning.drivers.shell import ShellDriver

        return ShellDriver(target, timeouts)
    driver = choose(target)
    # Imported when used: netmiko and napalm take a second to import, which no page or plan should wait for.
    if driver == "asyncssh":
        from provisioning.drivers.asyncssh import AsyncsshDriver

        return AsyncsshDriver(target, timeouts)
    if driver == "napalm":
        from provisioning.drivers.napalm import NapalmDriver

        return NapalmDriver(target, timeouts)
    from provisioning.drivers.netmiko import NetmikoDriver

    return NetmikoDriver(target, timeouts)
