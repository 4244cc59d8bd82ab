"""A router with a shell (Linux): it is asked and told in scripts, and speaks of policies all the same.

Its policies are kept on it as text; each line of a plan changes that text, and what a policy that is bound comes to in nftables
and tc is worked out from it and carried out in the same script, make before break. What it shows is read from its kernel: a
policy counts as bound where the kernel holds just what it comes to (decision 52).
"""

from __future__ import annotations

import time
from collections.abc import Iterator, Sequence
from dataclasses import replace
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
from provisioning.drivers.session import RETRY_PAUSE_S
from provisioning.drivers.shell_wire import Done, ShellWire
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
    Unreachable,
)
from provisioning.ios_templates import shared_ios_environment
from provisioning.pipeline import ios, linux
from provisioning.pipeline.counters import InterfacePolicyCounters
from provisioning.pipeline.linux import Look
from provisioning.pipeline.mqc import RunningConfig
from provisioning.pipeline.platforms import profile
from provisioning.pipeline.rendering import Renderer
from provisioning.pipeline.safety import Interpreter, LineNotAccepted

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
        for index, unit in enumerate(units):
            before_unit(index)
            reply = self._unit(index, unit, interpreter, at)
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

    def _unit(self, index: int, unit: WriteUnit, interpreter: Interpreter, at: _Standing) -> UnitReply:
        began, taken, refused = time.monotonic(), 0, None
        for line in unit.lines:
            self._transcript.sent(line)
            try:
                interpreter.execute(line)
            except LineNotAccepted as error:
                refused = f"{line!r}: {error}"
                break
            taken += 1
        # Of lines that belong together none is carried out without the others.
        if refused is None or (unit.together and taken):
            failed = self._carry_out(interpreter.config, at, unit.lines)
            if failed:
                taken, refused = 0, failed
        if refused is not None:
            self._transcript.received(refused)
        replies = ("",) * (len(unit.lines) if refused is None else taken + 1)
        return UnitReply(
            index,
            unit.lines,
            replies,
            refused,
            time.monotonic() - began,
            taken=0 if refused is None else taken,
        )

    def _carry_out(self, config: RunningConfig, at: _Standing, lines: tuple[str, ...]) -> str:
        """Have the router hold a configuration; why it does not, empty where it does. Raises ``SessionLost``."""
        if config is at.config:
            return ""
        try:
            wanted = linux.toward(at.look, at.config, config)
            steps = linux.difference(at.look.running, wanted)
            text = linux.written(config, self._renderer)
        except ExpediteError as error:
            return f"{lines[-1]!r}: {error.reason}"
        for step in steps:
            self._transcript.note(linux.shell(step))
        script = linux.change(steps, text, at.look.running.digest, at.look.policies_digest)
        done = self._once(script, self._timeouts.reply, lines[-1], possible=lines)
        if done.status == 0:
            digest, held = done.out.split()
            running = at.look.running
            for step in steps:
                running = linux.apply(running, step)
            at.look = replace(
                at.look, running=replace(running, digest=held), policies=text, policies_digest=digest
            )
            at.config = config
            return ""
        return f"{lines[-1]!r}: {done.complaint}{self._put_back(at, bool(steps))}"

    def _put_back(self, at: _Standing, begun: bool) -> str:
        """After a command that failed: the kernel as it was before the line, as a router leaves it that refuses one."""
        if not begun:
            return ""
        try:
            seen = self._look()
            if seen.policies_digest != at.look.policies_digest or seen.running == at.look.running:
                return ""
            steps = linux.difference(seen.running, at.look.running)
            done = self._once(
                linux.change(steps, at.look.policies, seen.running.digest, seen.policies_digest),
                self._timeouts.reply,
                "taking it back",
            )
        except DeviceError as error:
            return f"; and taking it back: {error.reason}"
        except ExpediteError as error:
            return f"; and it is left half way: {error.reason}"
        return "" if done.status == 0 else f"; and it is left half way: {done.complaint}"

    def _standing(self) -> _Standing:
        """What it holds before something is written. Raises DeviceError where that is not understood."""
        try:
            return _Standing(self._look())
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
        retrying = tenacity.Retrying(
            stop=tenacity.stop_after_attempt(self._timeouts.attempts),
            wait=tenacity.wait_fixed(RETRY_PAUSE_S),
            retry=tenacity.retry_if_exception_type(Unreachable),
            reraise=True,
        )
        wire: ShellWire = retrying(ShellWire, self._target, self._timeouts)
        return wire


class _Standing:
    """What a router holds between two units, as far as this session knows."""

    def __init__(self, look: Look) -> None:
        self.look = look
        self.config = ios.parse(linux.held_text(look))


def _interfaces(seen: Look) -> tuple[InterfaceFact, ...]:
    return tuple(InterfaceFact(name, link.bps, link.enabled, link.up) for name, link in seen.links.items())
