"""What every driver does over an open session, whoever opened it: reads by CLI, writes with every reply judged.

A driver adds one thing, a ``Connection``: a way in, and the privileged ``Dialogue`` behind it.
"""

from __future__ import annotations

import re
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Sequence
from types import TracebackType
from typing import Final, Generic, Protocol, Self, TypeVar

import tenacity

from provisioning.drivers import reading, reverting
from provisioning.drivers.base import (
    BeforeWrite,
    Facts,
    InterfaceFact,
    Shown,
    Target,
    Timeouts,
    TranscriptLine,
    UnitReply,
    VtyRefused,
    WriteUnit,
)
from provisioning.drivers.configuring import heard_late, push_units
from provisioning.drivers.dialogue import Dialogue
from provisioning.drivers.exchange import DialogueError
from provisioning.drivers.judging import judge_reading
from provisioning.drivers.saving import write_memory
from provisioning.drivers.transcripts import Transcript
from provisioning.drivers.wire import Wire
from provisioning.errors import InvalidInput, LineRefused, SessionLost, Unreachable
from provisioning.pipeline import counters
from provisioning.pipeline.counters import InterfacePolicyCounters

RETRY_PAUSE_S: Final = 0.5
_SIZES: Final = dict.fromkeys(reading.CONFIGURATIONS, reading.configuration_summary)
_WHOLE_LOOK: Final = ("show interfaces", *reading.CONFIGURATIONS)
_INTERFACE_NAME: Final = re.compile(r"^[A-Za-z][A-Za-z0-9\-]*\d[\d/.:]*$")


class Connection(Protocol):
    """A session that was opened, of whatever library."""

    def talking(self) -> Dialogue:
        """Its dialogue; ``DialogueError`` when there is none."""
        ...

    def disconnect(self) -> None:
        """Log out and close; closing twice is nothing."""
        ...


C = TypeVar("C", bound=Connection)
T = TypeVar("T")


def reached(opening: Callable[[], T], attempts: int) -> T:
    """A connection, tried so many times while the router is merely unreachable.

    A refused password or a changed key is never tried again: the first could lock an account, the second is an alarm.
    """
    retrying = tenacity.Retrying(
        stop=tenacity.stop_after_attempt(attempts),
        wait=tenacity.wait_fixed(RETRY_PAUSE_S),
        retry=tenacity.retry_if_exception_type(Unreachable),
        reraise=True,
    )
    return retrying(opening)


class SessionDriver(ABC, Generic[C]):
    """A session with one router. Opening it connects; every method may raise ``SessionLost``."""

    def __init__(self, target: Target, timeouts: Timeouts) -> None:
        self._target = target
        self._timeouts = timeouts
        self._transcript = Transcript((target.password, target.enable))
        self._may_reconnect = True
        self._facts: Facts | None = None
        self._connection = self._reached()

    @abstractmethod
    def _open(self) -> C:
        """A logged-in, privileged connection; raises ``Unreachable``, ``HostKeyChanged``,
        ``AuthenticationRefused``."""

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def close(self) -> None:
        """Log out and close; closing twice is nothing."""
        self._may_reconnect = False
        self._connection.disconnect()

    @property
    def transcript(self) -> tuple[TranscriptLine, ...]:
        """Everything said so far; a configuration read appears as its size."""
        return self._transcript.lines

    def facts(self) -> Facts:
        """``show version`` (and the prompt for the host name), asked once in a session: who answers in it stays the same."""
        if self._facts is None:
            text = self._read("show version")
            self._facts = reading.facts(text, self._talking().prompt.hostname)
        return self._facts

    def engines(self) -> dict[int, str]:
        """``show diag``; a router that does not know the command shows none."""
        try:
            return reading.engines(self._read("show diag"))
        except LineRefused:
            return {}

    def interfaces(self) -> tuple[InterfaceFact, ...]:
        """``show interfaces``: BW in bit/s, administrative and line state."""
        return reading.interfaces(self._read("show interfaces"))

    def running_config(self) -> str:
        """``show running-config`` to its ``end``. It holds secrets."""
        return self._configuration("show running-config")

    def startup_config(self) -> str:
        """``show startup-config`` to its ``end``; empty when NVRAM holds none. It holds secrets."""
        text = self._configuration("show startup-config")
        return "" if reading.has_no_startup(text) else text

    def shown(self) -> Shown:
        """``show interfaces``, ``show running-config`` and ``show startup-config``, the latter two to their ``end``, asked for in
        one write.

        Where they cannot be told apart, or the log came in between, each is asked for alone.
        """
        interfaces, *said = self._trying(
            " and ".join(_WHOLE_LOOK),
            lambda connection: connection.talking().run_all(
                _WHOLE_LOOK, self._timeouts.read, summaries=_SIZES
            ),
        )
        refused = judge_reading(interfaces) is not None
        if refused or self._talking().logged_over or not all(map(reading.is_whole, said)):
            self._transcript.note("one of the three broke off or was logged over; reading each alone")
            return Shown(self.interfaces(), self.running_config(), self.startup_config())
        running, startup = map(self._checked, reading.CONFIGURATIONS, said)
        shown = reading.interfaces(interfaces)
        return Shown(shown, running, "" if reading.has_no_startup(startup) else startup)

    def counted(self, interface: str | None = None) -> tuple[InterfacePolicyCounters, ...]:
        """`policy_counters`, read. Raises ``ParseFailure``."""
        return counters.parse(self.policy_counters(interface))

    def policy_counters(self, interface: str | None = None) -> str:
        """``show policy-map interface [interface]``, as text for ``pipeline.counters``: to the prompt, its last line ended."""
        if interface is not None and not _INTERFACE_NAME.match(interface):
            raise InvalidInput(f"{interface!r} is not the name of an interface", field="interface")
        said = self._read(
            f"show policy-map interface {interface}" if interface else "show policy-map interface"
        )
        return said if said.endswith("\n") else f"{said}\n"

    def ask(self, commands: Sequence[str]) -> tuple[str, ...]:
        """Several ``show`` commands in one write; what was said to each, refusals included."""
        return self._trying(
            " and ".join(commands),
            lambda connection: connection.talking().run_all(commands, self._timeouts.read),
        )

    def configure(
        self, units: Sequence[WriteUnit], before_unit: BeforeWrite, *, listen: bool = True
    ) -> Iterator[UnitReply]:
        """See ``configuring.push_units``. After it lost its session this driver does not open another by
        itself."""
        try:
            yield from push_units(self._talking(), units, before_unit, listen=listen)
        except SessionLost:
            self._may_reconnect = False
            raise

    def heard_late(self) -> str | None:
        """See ``configuring.heard_late``; a session that was lost meanwhile heard nothing."""
        try:
            return None if self._talking().dead is not None else heard_late(self._talking())
        except DialogueError:
            return None

    def save(self) -> str:
        """``write memory``; what the router said. Raises ``SaveRefused``; ``SessionLost`` leaves it
        unknown."""
        try:
            return write_memory(self._talking())
        except DialogueError as lost:
            self._may_reconnect = False
            raise SessionLost(
                f"{lost.reason}; write memory may have happened",
                possible=("write memory",) if lost.sending else (),
            ) from lost

    def arm_revert(self, minutes: int) -> None:
        """See ``reverting.arm``."""
        self._once_only(lambda talking: reverting.arm(talking, minutes))

    def pending_revert(self) -> str | None:
        """See ``reverting.pending``."""
        return self._once_only(reverting.pending)

    def confirm_revert(self) -> bool:
        """See ``reverting.confirm``."""
        return self._once_only(reverting.confirm)

    def revert_now(self) -> str:
        """See ``reverting.revert``."""
        return self._once_only(reverting.revert)

    # -- inside

    def _once_only(self, deed: Callable[[Dialogue], T]) -> T:
        """After it lost its session over this the driver does not open another by itself."""
        try:
            return deed(self._talking())
        except SessionLost:
            self._may_reconnect = False
            raise

    def _talking(self) -> Dialogue:
        return self._connection.talking()

    def _reached(self) -> C:
        return reached(self._open, self._timeouts.attempts)

    def _configuration(self, command: str) -> str:
        """The answer to ``command``, asked for once more when it broke off although the session lives, or when the log
        came in between."""
        text = self._read(command)
        harmed = (
            "broke off" if not reading.is_whole(text) else self._talking().logged_over and "was logged over"
        )
        if harmed and self._timeouts.attempts > 1:
            self._transcript.note(f"{command} {harmed}; reading it once more")
            text = self._read(command)
        return self._checked(command, text)

    def _checked(self, command: str, text: str) -> str:
        """A configuration that breaks off is not believed: half of it would read as "the rest is gone"."""
        if (objection := judge_reading(text)) is not None:
            raise LineRefused(f"{command}: {objection}", sent=command, reply=text)
        if not reading.is_whole(text):
            raise SessionLost(f"{command} broke off: the text does not reach its end")
        return text

    def _read(self, command: str) -> str:
        text = self._trying(command, lambda connection: ask(connection.talking(), command))
        if (objection := judge_reading(text)) is not None:
            raise LineRefused(f"{command}: {objection}", sent=command, reply=text)
        return text

    def _trying(self, what: str, read: Callable[[C], T]) -> T:
        """Read something, once more on a fresh session if the old one died while reading."""
        retrying = tenacity.Retrying(
            stop=tenacity.stop_after_attempt(self._timeouts.attempts if self._may_reconnect else 1),
            wait=tenacity.wait_fixed(RETRY_PAUSE_S),
            retry=tenacity.retry_if_exception_type(SessionLost),
            reraise=True,
        )
        told: T = retrying(self._once, what, read)
        return told

    def _once(self, what: str, read: Callable[[C], T]) -> T:
        if self._talking().dead is not None and self._may_reconnect:
            self._connection.disconnect()
            self._transcript.note("a new session")
            self._facts = None
            self._connection = self._reached()
        try:
            return read(self._connection)
        except DialogueError as lost:
            raise SessionLost(f"{what}: {lost.reason}") from lost


def enter(wire: Wire, target: Target, timeouts: Timeouts, transcript: Transcript) -> Dialogue:
    """Find the prompt behind an open wire, become privileged, switch the pager off.

    Raises ``VtyRefused``, ``Unreachable``, ``AuthenticationRefused`` (field ``enable``); the wire is the caller's to
    close.
    """
    dialogue = Dialogue(wire, transcript, timeouts)
    try:
        dialogue.log_in()
        dialogue.become_privileged(target.enable)
        dialogue.prepare()
    except DialogueError as lost:
        raise VtyRefused(f"{target.name} dropped the session at login: {lost.reason}", field="host") from lost
    return dialogue


def ask(dialogue: Dialogue, command: str) -> str:
    """One exec command; a configuration is read to its ``end`` and stands in the transcript as its size."""
    configuration = command in reading.CONFIGURATIONS
    return dialogue.run(
        command,
        dialogue.timeouts.read,
        whole=reading.is_whole if configuration else None,
        summary=reading.configuration_summary if configuration else None,
    )
