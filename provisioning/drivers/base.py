"""What every driver offers, in plain values: whom to speak to, how long to wait, what came back.

Only this package speaks SSH (architecture, rule 4). Services see the ``RouterDriver`` protocol and the
typed errors of ``provisioning.errors``; nothing of netmiko, napalm or paramiko passes this line.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from types import TracebackType
from typing import Literal, Protocol, Self

from provisioning.errors import InvalidInput, Unreachable
from provisioning.pipeline.counters import InterfacePolicyCounters

Direction = Literal[">", "<"]


class VtyRefused(Unreachable):
    """The router answers on its SSH port but gives no session: every vty is taken, or an access-class says
    no."""

    code = "vty-refused"


@dataclass(frozen=True, slots=True)
class Target:
    """One router as a session needs it. ``host_key`` is the pinned key, OpenSSH style: ``type base64``.

    ``repr`` never shows the password or the enable secret, so a target may appear in a log line.
    """

    name: str
    host: str
    port: int
    username: str
    password: str = field(repr=False)
    enable: str = field(repr=False)
    host_key: str
    ssh_profile: str
    platform: str
    driver: str = "netmiko"
    ios: str = ""
    serial: str = ""
    engines: tuple[tuple[int, str], ...] = ()
    """What the inventory says of the router beside its platform: release, serial, engine of the card in each slot."""
    asked_of: str | None = None
    """The release under which the router was asked what it can do; empty: never. None: it is not to be asked in this session."""
    among: int = 1
    """How many routers are spoken to for the same purpose, this one included; the driver ``auto`` goes by it."""
    jump: Target | None = None
    """The host on the way there, whose SSH carries the connection: its own address, user, password, pinned key, profile."""

    def __post_init__(self) -> None:
        if not self.host or any(character.isspace() for character in self.host):
            raise InvalidInput("a router is reached by one host name or address", field="host")
        if not 0 < self.port < 65536:
            raise InvalidInput(f"{self.port} is not a TCP port", field="port")
        if not self.username:
            raise InvalidInput("a router is never entered without a user name", field="username")


@dataclass(frozen=True, slots=True)
class Timeouts:
    """How long to wait, in seconds. Every wait of a session is one of these, so none is without a bound."""

    connect: float = 10.0
    """TCP connection, SSH banner and key exchange, each."""
    authenticate: float = 20.0
    """The answer to the password (AAA servers are slow)."""
    login: float = 20.0
    """From the open shell to a recognised prompt."""
    reply: float = 30.0
    """One configuration write, until the prompt is back."""
    swap: float = 10.0
    """The same for a write that takes a policy off an interface, and for what goes out in its place: the interface may be bare
    while nothing is heard, and only another session can see whether it is."""
    read: float = 120.0
    """Silence during one ``show`` command; a 12000 builds its configuration for a long time."""
    longest: float = 1200.0
    """One ``show`` command altogether, however steadily its output comes."""
    save: float = 90.0
    """``write memory``; NVRAM is slow."""
    settle: float = 0.05
    """Quiet time after a prompt before what was shown counts as whole; a configuration line is answered by its prompt."""
    binding_settle: float = 1.4
    """The same, once, after the last line of a push that bound a policy: a line card refuses after the prompt (ios-facts 2.2)."""
    closing: float = 20.0
    """How long an interface that a refused line left without a policy is offered the alternatives, over and over."""
    attempts: int = 2
    """How often to try to connect, and to read again after a session that died while reading."""

    def __post_init__(self) -> None:
        for name in (
            "connect",
            "authenticate",
            "login",
            "reply",
            "swap",
            "read",
            "longest",
            "save",
            "closing",
        ):
            if not 0 < getattr(self, name) <= 3600:
                raise InvalidInput("a wait is between 0 and 3600 seconds", field=name)
        for name in ("settle", "binding_settle"):
            if not 0 <= getattr(self, name) <= 60:
                raise InvalidInput("a quiet time is between 0 and 60 seconds", field=name)
        if not 1 <= self.attempts <= 5:
            raise InvalidInput("one to five attempts", field="attempts")

    @classmethod
    def bounded_by(cls, seconds: float) -> Self:
        """The usual waits, none longer than ``seconds``."""
        usual = cls()
        return cls(
            connect=min(usual.connect, seconds),
            authenticate=min(usual.authenticate, seconds),
            login=min(usual.login, seconds),
            reply=min(usual.reply, seconds),
            swap=min(usual.swap, seconds),
            read=min(usual.read, seconds),
            save=min(usual.save, seconds),
        )


@dataclass(frozen=True, slots=True)
class Facts:
    """Who the router says it is (``show version``); an empty string where it does not say. ``up_s`` is its uptime in seconds, of
    whole minutes as IOS says it; None where it does not.
    """

    hostname: str
    platform_text: str
    version: str
    serial: str
    image: str
    up_s: int | None = None


@dataclass(frozen=True, slots=True)
class InterfaceFact:
    """One interface of ``show interfaces``. ``bw_bps`` is the BW line, the router's percent base (ios-facts
    1.4),
    in bit/s; ``None`` where the interface shows none."""

    name: str
    bw_bps: int | None
    admin_up: bool
    line_up: bool


@dataclass(frozen=True, slots=True)
class Shown:
    """What a whole look at a router brings: `interfaces()`, `running_config()` and `startup_config()` of one moment."""

    interfaces: tuple[InterfaceFact, ...]
    running: str
    startup: str


@dataclass(frozen=True, slots=True)
class WriteUnit:
    """What goes out in one write: one line, the two lines of a swap that IOS must get together (ios-facts 2.8), or lines of a
    block, ``together``: of those any may be refused without harm, and the router reads on.

    ``instead``: the lines to send at once, in this order and in the same mode, when the last of ``lines`` is refused
    and has left an interface without a policy; the first that is taken ends it.
    """

    lines: tuple[str, ...]
    instead: tuple[str, ...] = ()
    together: bool = False

    def __post_init__(self) -> None:
        if not self.lines or (len(self.lines) > 2 and not self.together):
            raise InvalidInput("a write holds one line, or two that belong together", field="lines")
        if self.together and self.instead:
            raise InvalidInput("lines that may be refused have none to be sent instead", field="instead")
        for line in (*self.lines, *self.instead):
            if not line.strip():
                raise InvalidInput("an empty line is not a command", field="lines")
            if not line.isascii() or not line.isprintable():
                raise InvalidInput("a vty takes printable ASCII only", field="lines")
            if line != line.strip():
                raise InvalidInput("a line is sent without indentation", field="lines")
            if "?" in line:
                raise InvalidInput("a question mark asks IOS for help wherever it stands", field="lines")


@dataclass(frozen=True, slots=True)
class Closing:
    """What was done for an interface that a refused line left without a policy.

    ``tried``: every line sent for it with what the router said. ``taken``: the line that it took, empty when it took
    none in time. ``seconds`` from the write that was refused to the last of these replies.
    """

    tried: tuple[tuple[str, str], ...]
    taken: str
    seconds: float


@dataclass(frozen=True, slots=True)
class UnitReply:
    """What the router said to one write.

    ``sent`` is empty when the unit was *not* sent: then ``refused`` is what arrived late for the line
    before it. ``replies`` holds one text per line sent (echo and prompt removed); ``refused`` says why the
    push stops, or None. ``seconds`` from the write to the last prompt it brought, as seen from here. ``closing`` is set
    when the last line was refused and the unit has lines to send instead; where that ends with the line itself,
    ``refused`` is None. ``taken``: how many lines of the unit were answered before the one that is refused.
    """

    unit_index: int
    sent: tuple[str, ...]
    replies: tuple[str, ...]
    refused: str | None
    seconds: float = 0.0
    closing: Closing | None = None
    taken: int = 0


@dataclass(frozen=True, slots=True)
class TranscriptLine:
    """One line of a session: seconds since it began, ``>`` sent or ``<`` received, the text with secrets
    removed."""

    at_offset_s: float
    direction: Direction
    text: str


class BeforeWrite(Protocol):
    """Called with the index of the unit before each write; `closing` says that it closes what that unit left without a policy.
    What it raises ends the writing.
    """

    def __call__(self, index: int, /, *, closing: bool = False) -> None: ...


class RouterDriver(Protocol):
    """A logged-in, privileged session with one router whose host key was the pinned one. Close it: use
    ``with``."""

    def __enter__(self) -> Self: ...

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None: ...

    @property
    def transcript(self) -> tuple[TranscriptLine, ...]:
        """Everything said so far, secrets removed."""
        ...

    def facts(self) -> Facts: ...

    def interfaces(self) -> tuple[InterfaceFact, ...]: ...

    def engines(self) -> dict[int, str]:
        """The forwarding engine of each line card of a 12000 by slot (``show diag``); empty where it shows none."""
        ...

    def running_config(self) -> str:
        """The whole running-config, ``end`` included. It holds secrets: redact before storing."""
        ...

    def startup_config(self) -> str:
        """The startup-config, or an empty string when the router has none. It holds secrets."""
        ...

    def shown(self) -> Shown:
        """Interfaces and both configurations, asked for together: what the router holds and what of it would outlast a reload."""
        ...

    def counted(self, interface: str | None = None) -> tuple[InterfacePolicyCounters, ...]:
        """What the router counts for policies of one interface or of all; what was cut off in a line is refused.

        Raises ``ParseFailure``, ``LineRefused``.
        """
        ...

    def ask(self, commands: Sequence[str]) -> tuple[str, ...]:
        """What the router said to each of several ``show`` commands sent in one write, refusals word for word."""
        ...

    def configure(
        self, units: Sequence[WriteUnit], before_unit: BeforeWrite, *, listen: bool = True
    ) -> Iterator[UnitReply]:
        """One write per unit, every reply judged; stops at the first refusal; leaves configuration mode.

        ``before_unit(index)`` runs before every write; before those that close what unit ``index`` left without a policy, its
        ``instead`` and what leads there, ``before_unit(index, closing=True)``. Without ``listen`` it does not
        wait for what a line card says after the last binding: `heard_late` does.
        """
        ...

    def heard_late(self) -> str | None:
        """What was said against the last binding since `configure` without ``listen``, waiting until a line card would have
        said it; None where nothing was.
        """
        ...

    def save(self) -> str:
        """``write memory``; what the router said. Raises ``SaveRefused`` unless it said ``[OK]``."""
        ...

    def arm_revert(self, minutes: int) -> None:
        """Have the router go back to what it runs now after so many minutes, unless it is told to keep what it has by then.
        Raises ``LineRefused`` when it does not say that it will.
        """
        ...

    def pending_revert(self) -> str | None:
        """Who has such a change waiting; None when none waits. Raises ``LineRefused`` when the router says neither."""
        ...

    def confirm_revert(self) -> bool:
        """Tell the router to keep what it has; False when nothing waited for that any more. Raises ``LineRefused``."""
        ...

    def revert_now(self) -> str:
        """Have the router go back at once; what it said: whether it is back is seen by reading it."""
        ...

    def close(self) -> None: ...
