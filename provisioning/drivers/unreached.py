"""Why no session came about, in one set of words for every driver: what a library's exception means is its driver's to know."""

from __future__ import annotations

from dataclasses import dataclass

from provisioning.drivers.base import Target, VtyRefused
from provisioning.errors import AuthenticationRefused, Unreachable


@dataclass(frozen=True, slots=True)
class Unreached:
    """The errors of one target that was not reached; each function makes one, none raises."""

    target: Target

    @property
    def where(self) -> str:
        """Name, address and port."""
        return f"{self.target.name} ({self.target.host} port {self.target.port})"

    def unresolved(self) -> Unreachable:
        return Unreachable(f"the name {self.target.host} does not resolve", field="host")

    def no_route(self) -> Unreachable:
        return Unreachable(f"{self.where} refuses the connection or has no route", field="host")

    def silent(self) -> Unreachable:
        """No TCP connection in time."""
        return Unreachable(f"{self.where} did not answer in time", field="host")

    def mute(self) -> Unreachable:
        """A TCP connection and no SSH behind it."""
        return Unreachable(f"{self.where} accepted the connection and said nothing", field="host")

    def hung_up(self) -> VtyRefused:
        """Closed before any credential was asked for."""
        return VtyRefused(
            f"{self.where} closed the connection before a session: it is starting up, its vty lines are taken, or an "
            "access-class refuses us",
            field="host",
        )

    def no_algorithm(self, said: str) -> Unreachable:
        return Unreachable(
            f"{self.where} shares no algorithm with SSH profile {self.target.ssh_profile!r}: {said}",
            field="ssh_profile",
        )

    def slow_password(self) -> Unreachable:
        return Unreachable(f"{self.where} did not answer the password in time", field="host")

    def closed_at_login(self) -> VtyRefused:
        return VtyRefused(f"{self.where} closed the session during login", field="host")

    def refused_password(self) -> AuthenticationRefused:
        return AuthenticationRefused(f"{self.where} refused user {self.target.username}", field="password")

    def no_shell(self, said: str) -> VtyRefused:
        """Logged in, and no terminal was given."""
        return VtyRefused(f"{self.target.name} gave no shell: {said}", field="host")

    def otherwise(self, said: str) -> Unreachable:
        return Unreachable(f"{self.where}: {said}", field="host")
