"""What a router with a shell is told: the lines of a unit, as one script; after a command that failed, what takes it back."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import replace
from typing import Protocol

from provisioning.drivers.base import UnitReply, WriteUnit
from provisioning.drivers.shell_wire import Done
from provisioning.drivers.transcripts import Transcript
from provisioning.errors import DeviceError, ExpediteError
from provisioning.pipeline import ios, linux
from provisioning.pipeline.linux import Look
from provisioning.pipeline.mqc import RunningConfig
from provisioning.pipeline.rendering import Renderer
from provisioning.pipeline.safety import Interpreter, LineNotAccepted


class Once(Protocol):
    """Runs a script that changes something, and not again; ``possible`` is what may be on when the session is lost meanwhile."""

    def __call__(self, script: str, seconds: float, what: str, *, possible: tuple[str, ...] = ()) -> Done: ...


class Standing:
    """What a router holds between two units, as far as this session knows."""

    def __init__(self, look: Look) -> None:
        self.look = look
        self.config = ios.parse(linux.held_text(look))


class Writing:
    """Units for one router, on what the one before left."""

    def __init__(
        self,
        transcript: Transcript,
        renderer: Renderer,
        once: Once,
        look: Callable[[], Look],
        *,
        reply_s: float,
    ) -> None:
        self._transcript, self._renderer, self._once, self._look = transcript, renderer, once, look
        self._reply_s = reply_s

    def unit(self, index: int, unit: WriteUnit, interpreter: Interpreter, at: Standing) -> UnitReply:
        """Take the lines of a unit one by one and have the router hold what they come to. Raises ``SessionLost``."""
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

    def _carry_out(self, config: RunningConfig, at: Standing, lines: tuple[str, ...]) -> str:
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
        done = self._once(script, self._reply_s, lines[-1], possible=lines)
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

    def _put_back(self, at: Standing, begun: bool) -> str:
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
                self._reply_s,
                "taking it back",
            )
        except DeviceError as error:
            return f"; and taking it back: {error.reason}"
        except ExpediteError as error:
            return f"; and it is left half way: {error.reason}"
        return "" if done.status == 0 else f"; and it is left half way: {done.complaint}"
