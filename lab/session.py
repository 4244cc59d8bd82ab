"""One login: prompts, modes, dialogues, and what the router says of itself (ios-facts section 3)."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from lab.cli import exec_mode
from lab.cli.global_mode import GlobalMode
from lab.errors import AmbiguousCommand, IncompleteCommand, InvalidInput, Refusal, SessionDropped
from lab.mode import Mode, Router, run_line
from lab.store import Configuration
from lab.trains import Train


@dataclass
class Dialogue:
    """A question: ``answer`` gets the reply and returns what is printed; ``single_key`` needs no Enter."""

    prompt: str
    answer: Callable[[str], str]
    echo: bool = True
    single_key: bool = False


@dataclass
class BannerText:
    """Text being typed until its delimiter comes again."""

    kind: str
    mark: str
    text: str


class Session:
    """A terminal at a router, already authenticated; ``execute`` takes a line, ``prompt`` is what stands before the next."""

    def __init__(
        self, device: Router, username: str, privilege: int, console: bool, line: str, number: int = 0
    ) -> None:
        self.device = device
        self.number = number
        self.username = username
        self.privilege = privilege
        self.console = console
        self.line = line
        self.monitor = False
        self.length = 24
        self.width = 80
        self.stack: list[Mode] = []
        self.stack_before_line: list[Mode] = []
        self.dialogue: Dialogue | None = None
        self.banner: BannerText | None = None
        self.closed = False
        self.config_lines = 0
        self.pages = False
        self._later: list[str] = []

    @property
    def config(self) -> Configuration:
        """The configuration of the router."""
        return self.device.config

    @property
    def train(self) -> Train:
        """The manners of the router."""
        return self.device.spec.train

    @property
    def prompt(self) -> str:
        """What the router prints before it reads; in configuration mode the name is cut to 20 (ios-facts 3.1)."""
        if self.dialogue is not None:
            return self.dialogue.prompt
        if self.banner is not None:
            return ""
        if self.stack:
            return f"{self.config.hostname[:20]}({self.stack[-1].prompt})#"
        return self.config.hostname + ("#" if self.privilege == 15 else ">")

    def execute(self, line: str) -> str:
        """The text the router prints after the echo of the line, without the next prompt.

        Raises SessionDropped when the connection ends over it, SessionHung when the router never answers.
        """
        self.device.tick()
        if self.closed:
            raise SessionDropped("the session is closed")
        self.pages = False
        if self.banner is not None:
            return self._banner_line(line)
        if self.dialogue is not None:
            asked, self.dialogue = self.dialogue, None
            return asked.answer(line)
        leave = line.endswith("\x1a")  # ^Z executes what is on the line, then ends
        text = line.rstrip("\x1a").strip()
        if self.stack:
            reply = self._configure(line.rstrip("\x1a"), text) if text else ""
            if leave and self.stack:
                self.leave_configuration()
            return reply
        if not text or text.startswith("!"):
            return ""
        self.device.note_asked(self, text)
        faulted = self.device.faults.before(self, text)
        if faulted is not None:
            return faulted
        reply = self._guarded(line, lambda: exec_mode.run(self, line.rstrip("\x1a").rstrip()))
        self.device.faults.after(self, text, "exec")
        return reply

    def _configure(self, line: str, text: str) -> str:
        if text.startswith("!"):
            return ""
        if text != "end":  # a push leaves and comes back between what it prepares and what it binds
            self.config_lines += 1
        faulted = self.device.faults.before(self, text)
        if faulted is not None:
            self.device.record(self, text, faulted)
            return faulted
        reply = self._guarded(line, lambda: self._run(line, text))
        self.device.record(self, text, reply)
        self.device.faults.after(self, text, "config")
        return reply

    def _run(self, line: str, text: str) -> str:
        first = text.split()[0].lower()
        if first == "end":
            self.leave_configuration()
            return ""
        if first in ("exit", "exi", "quit"):
            self.stack.pop()
            if not self.stack:
                self._left()
            return ""
        if first == "do" and self.train.has_do:  # ios-facts 2.1, 3.1: not on 12.0S
            at = line.lower().index("do")
            return exec_mode.run(self, " " * (at + 2) + line[at + 2 :])
        self.stack_before_line = list(self.stack)
        return run_line(self, line)

    def _guarded(self, line: str, action: Callable[[], str]) -> str:
        prompt = self.prompt
        try:
            return action()
        except InvalidInput as error:
            column = len(prompt) + error.column
            return f"{' ' * column}^\n% Invalid input detected at '^' marker.\n\n"
        except IncompleteCommand:
            return "% Incomplete command.\n\n"
        except AmbiguousCommand:
            return f'% Ambiguous command:  "{line.strip()}"\n'
        except Refusal as refusal:
            return refusal.text + "\n"

    def enter_configuration(self) -> str:
        """``configure terminal``."""
        self.stack = [GlobalMode()]
        return "Enter configuration commands, one per line.  End with CNTL/Z.\n"

    def leave_configuration(self) -> None:
        """``end`` and ^Z."""
        self.stack = []
        self._left()

    def _left(self) -> None:
        where = "console" if self.console else f"{self.line} (127.0.0.1)"
        self.device.log_line(f"%SYS-5-CONFIG_I: Configured from console by {self.username} on {where}")

    def begin_banner(self, kind: str, mark: str, text: str) -> str:
        """Start reading a banner; it may end on the same line."""
        if mark in text:
            self.config.banners[kind] = text.split(mark, 1)[0]
            return ""
        self.banner = BannerText(kind, mark, text + "\n")
        return f"Enter TEXT message.  End with the character '{mark}'.\n"

    def _banner_line(self, line: str) -> str:
        assert self.banner is not None
        text, found, _rest = line.partition(self.banner.mark)
        if not found:
            self.banner.text += line + "\n"
            return ""
        self.config.banners[self.banner.kind] = self.banner.text + text
        self.device.record(self, f"banner {self.banner.kind}", "")
        self.banner = None
        return ""

    def ask(
        self, prompt: str, answer: Callable[[str], str], *, echo: bool = True, single_key: bool = False
    ) -> str:
        """Put a question; the next ``execute`` is its answer."""
        self.dialogue = Dialogue(prompt, answer, echo, single_key)
        return ""

    def say_later(self, text: str, seconds: float = 0.0) -> None:
        """A line that comes of itself, after the prompt, so many seconds from now."""
        if seconds > 0:
            when = self.device.clock() + seconds
            self.device.timers.add(when, lambda: self._later.append(text), "said late")
        else:
            self._later.append(text)

    def asynchronous(self) -> list[str]:
        """The lines that came of themselves since last asked; takes them."""
        said, self._later = self._later, []
        return said

    def close(self) -> None:
        """End of the session."""
        self.closed = True
        self.device.forget(self)
