"""A router with a shell (Linux): it is asked and told in scripts, and speaks of policies all the same.

Its policies are kept on it as text; each line of a plan changes that text, and what a policy that is bound comes to in nftables
and tc is worked out from it and carried out in the same script, make before break. What it shows is read from its kernel: a
policy counts as bound where the kernel holds just what it comes to (decision 52).
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from functools import partial
from types import TracebackType
from typing import Final, Self

import tenacity

from provisioning.drivers.base import (
    BeforeWrite,
    Facts,
    InterfaceFact,
    Shown,
    Target,
    Timeouts,
    TranscriptLine,
    UnitReply,
    WriteUnit,
)
from provisioning.drivers.session import RETRY_PAUSE_S, reached
from provisioning.drivers.shell_wire import Done, ShellWire
from provisioning.drivers.shell_writing import Standing, Writing
from provisioning.drivers.transcripts import Transcript
from provisioning.drivers.wire import WireError
from provisioning.errors import (
    AuthenticationRefused,
    DeviceError,
    ExpediteError,
    LineRefused,
    ParseFailure,
    SaveRefused,
    SessionLost,
)
from provisioning.ios_templates import shared_ios_environment
from provisioning.pipeline import ios, linux
from provisioning.pipeline.counters import InterfacePolicyCounters
from provisioning.pipeline.linux import Look
from provisioning.pipeline.platforms import profile
from provisioning.pipeline.rendering import Renderer
from provisioning.pipeline.safety import Interpreter

NOT_ROOT: Final = 4
UNKNOWN: Final = "% Unknown command: a shell is no vty"
"""What is said to a command of IOS: it was not sent."""


class ShellDriver:
    """A session with one router; see `RouterDriver`. Opening it connects."""

    def __init__(self, target: Target, timeouts: Timeouts) -> None:
        self._target, self._timeouts = target, timeouts
        self._transcript = Transcript((target.password, target.enable))
        self._profile = profile(target.platform, target.ios)
        self._renderer = Renderer(shared_ios_environment, self._profile)
        self._may_reconnect = True
        self._first: Look | None = None
        self._wire = self._reached()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def close(self) -> None:
        """Close the connection; closing twice is nothing."""
        self._may_reconnect = False
        self._wire.close()

    @property
    def transcript(self) -> tuple[TranscriptLine, ...]:
        """Every line sent, and the commands that each came to."""
        return self._transcript.lines

    def facts(self) -> Facts:
        """Who it is: its machine id is its serial number. Asked once in a session."""
        if self._first is None:
            self._first = self._look()
        seen = self._first
        return Facts(seen.hostname, self._profile.name, seen.release, seen.serial, seen.kernel, seen.up_s)

    def interfaces(self) -> tuple[InterfaceFact, ...]:
        """Every interface, with the rate of its link: of its card, or what an operator said."""
        return _interfaces(self._look())

    def engines(self) -> dict[int, str]:
        """It has no line cards."""
        return {}

    def running_config(self) -> str:
        """Its policies and interfaces, each policy bound where the kernel holds what it comes to."""
        return linux.held_text(self._look())

    def startup_config(self) -> str:
        """The same of what is loaded at boot; empty where nothing is."""
        return linux.saved_text(self._look())

    def shown(self) -> Shown:
        """All of it, of one moment."""
        seen = self._look()
        return Shown(_interfaces(seen), linux.held_text(seen), linux.saved_text(seen))

    def counted(self, interface: str | None = None) -> tuple[InterfacePolicyCounters, ...]:
        """What the kernel counted for every policy that is bound."""
        seen = self._look()
        config = ios.parse(linux.held_text(seen))
        called = {link.name: name for name, link in seen.links.items()}
        found = []
        for each in linux.counted(seen.said):
            name = called.get(each.interface, each.interface)
            policy = config.bound(name, each.direction)
            if policy is not None and interface in (None, name):
                found.append(replace(each, interface=name, policy=policy))
        return tuple(found)

    def ask(self, commands: Sequence[str]) -> tuple[str, ...]:
        """Commands of IOS, of which it knows none; nothing is sent."""
        return tuple(UNKNOWN for _ in commands)

    def configure(
        self,
        units: Sequence[WriteUnit],
        before_unit: BeforeWrite,
        *,
        listen: bool = True,  # noqa: ARG002 - whoever forwards is who answers
    ) -> Iterator[UnitReply]:
        """One script per unit, on what the one before left; a unit that is refused leaves the router as it was."""
        at = self._standing()
        interpreter = Interpreter(at.config, self._profile)
        writing = Writing(
            self._transcript, self._renderer, self._once, self._look, reply_s=self._timeouts.reply
        )
        for index, unit in enumerate(units):
            before_unit(index)
            reply = writing.unit(index, unit, interpreter, at)
            yield reply
            if reply.refused is not None:
                return

    def heard_late(self) -> str | None:
        """Nothing is said after the answer."""
        return None

    def save(self) -> str:
        """Have what runs loaded at boot. Raises ``SaveRefused``."""
        seen = self._standing().look
        try:
            text = linux.loader(
                seen.policies, linux.compiled(linux.there(linux.kept(seen.policies), seen), seen)
            )
        except ExpediteError as error:
            raise SaveRefused(f"what it keeps cannot be carried out: {error}") from error
        self._transcript.sent("write memory")
        done = self._once(
            linux.keeping(seen.policies, text, seen.policies_digest), self._timeouts.save, "write memory"
        )
        self._transcript.received(done.out if done.status == 0 else done.complaint)
        if done.status != 0 or "[OK]" not in done.out:
            raise SaveRefused(f"it was not saved: {done.complaint}", reply=done.err)
        return done.out

    def arm_revert(self, minutes: int) -> None:
        """A shell has no such timer: no plan rests on one. Raises ``LineRefused``."""
        raise LineRefused(f"{self._target.name} takes nothing back by itself", sent=f"revert timer {minutes}")

    def pending_revert(self) -> str | None:
        """None waits."""
        return None

    def confirm_revert(self) -> bool:
        """None waits."""
        return False

    def revert_now(self) -> str:
        """Raises ``LineRefused``."""
        raise LineRefused(f"{self._target.name} takes nothing back by itself", sent="configure revert now")

    # -- inside

    def _standing(self) -> Standing:
        """What it holds before something is written. Raises DeviceError where that is not understood."""
        try:
            return Standing(self._look())
        except ParseFailure as error:
            raise DeviceError(f"what {self._target.name} holds cannot be read: {error}") from error

    def _once(self, script: str, seconds: float, what: str, *, possible: tuple[str, ...] = ()) -> Done:
        """Run a script that changes something: after it lost its session this driver does not open another by itself."""
        try:
            return self._wire.run(script, seconds)
        except WireError as lost:
            self._may_reconnect = False
            self._transcript.note(f"session lost: {lost}")
            self._wire.close()
            raise SessionLost(f"{what}: {lost}", possible=possible) from lost

    def _look(self) -> Look:
        """Everything the router holds now, on a fresh session if the old one died while reading."""
        retrying = tenacity.Retrying(
            stop=tenacity.stop_after_attempt(self._timeouts.attempts if self._may_reconnect else 1),
            wait=tenacity.wait_fixed(RETRY_PAUSE_S),
            retry=tenacity.retry_if_exception_type(SessionLost),
            before_sleep=lambda _state: self._again(),
            reraise=True,
        )
        found: Look = retrying(self._look_once)
        return found

    def _again(self) -> None:
        self._wire.close()
        self._transcript.note("a new session")
        self._first = None
        self._wire = self._reached()

    def _look_once(self) -> Look:
        self._transcript.sent("[a look at what it holds]")
        try:
            done = self._wire.run(linux.SEEN, self._timeouts.read)
        except WireError as lost:
            self._transcript.note(f"session lost: {lost}")
            raise SessionLost(f"a look: {lost}") from lost
        if done.status == NOT_ROOT:
            raise AuthenticationRefused(
                f"{self._target.username} is not root on {self._target.name}: nftables and tc need that",
                field="enable",
            )
        if done.status != 0:
            raise LineRefused(f"a look: {done.complaint}", sent="a look", reply=done.err)
        self._transcript.received(f"[{len(done.out)} characters]")
        return linux.looked(done.out)

    def _reached(self) -> ShellWire:
        return reached(partial(ShellWire, self._target, self._timeouts), self._timeouts.attempts)


def _interfaces(seen: Look) -> tuple[InterfaceFact, ...]:
    return tuple(InterfaceFact(name, link.bps, link.enabled, link.up) for name, link in seen.links.items())
