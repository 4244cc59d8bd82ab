"""Cuts what came back on a vty into one reply per command sent: echo, prompts and redraws taken off.

The router may echo or not; echo at once or line by line; wrap a long echo, scroll it (``$``), or break it
with a log line; print its prompt again after a log line; and say something after its prompt. A command's
reply ends at the prompt that follows the command's *echo*: a prompt left over from before is never taken
for the answer.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from provisioning.drivers.judging import is_syslog
from provisioning.drivers.prompts import Prompt, prompt_at_start
from provisioning.drivers.screen import lines_seen


@dataclass(frozen=True, slots=True)
class Replies:
    """``texts``: one per command sent. ``answered``: how many of them ended in a prompt. ``echoed``: how
    many were seen echoed. ``prompt``: the last prompt seen. ``at_prompt``: nothing but log lines came after
    it.
    ``prompts``: every prompt printed, redraws included. ``after``: the prompt that ended each of those answered."""

    texts: tuple[str, ...]
    answered: int
    echoed: int
    prompt: Prompt | None
    at_prompt: bool
    prompts: int
    after: tuple[Prompt, ...] = ()

    @property
    def complete(self) -> bool:
        """Every command was answered. More may have been said since: ``at_prompt`` tells."""
        return self.answered == len(self.texts)

    @property
    def plausible(self) -> bool:
        """At a prompt after as many prompts as commands, though no echo proves which answers which."""
        return self.at_prompt and self.prompts >= len(self.texts)


def read_replies(raw: str, commands: Sequence[str], hostname: str, *, echoing: bool = True) -> Replies:
    """Cut ``raw`` (all that came since the commands were written) into the replies to ``commands``.

    With ``echoing`` a prompt counts only after the echo of the command it answers; without, prompts are
    counted.
    """
    cutter = _Cutter(tuple(commands), hostname, echoing)
    for line in lines_seen(raw):
        cutter.line(line)
    return cutter.result()


@dataclass(slots=True)
class _Cutter:
    commands: tuple[str, ...]
    hostname: str
    echoing: bool
    echoed: int = 0
    answered: int = 0
    prompts: int = 0
    prompt: Prompt | None = None
    at_prompt: bool = False
    texts: list[list[str]] = field(init=False)
    _echo_so_far: str = ""
    _echo_lines: list[str] = field(default_factory=list)
    _only_log_since_prompt: bool = False
    _log_since_prompt: bool = False
    _log_in_echo: bool = False
    _after: list[Prompt] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.texts = [[] for _ in self.commands]

    def line(self, line: str) -> None:
        found = prompt_at_start(line, self.hostname)
        while found is not None:
            if self._log_in_echo:
                self._forget_echo()  # after a log message IOS shows prompt and line anew
            self._give_up_echo()
            prompt, line = found
            self._saw_prompt(prompt)
            found = prompt_at_start(line, self.hostname)
        if not line.strip():
            return
        if is_syslog(line):
            self._keep(line)
            self._log_since_prompt = True
            self._log_in_echo = bool(self._echo_so_far)
            return
        if self._echo(line):
            self.at_prompt = False
            self._only_log_since_prompt = False
            return
        self._only_log_since_prompt = False
        self.at_prompt = False
        self._keep(line)

    def result(self) -> Replies:
        self._give_up_echo()
        return Replies(
            texts=tuple("\n".join(lines) for lines in self.texts),
            answered=self.answered,
            echoed=self.echoed,
            prompt=self.prompt,
            at_prompt=self.at_prompt,
            prompts=self.prompts,
            after=tuple(self._after),
        )

    def _saw_prompt(self, prompt: Prompt) -> None:
        redrawn = self._only_log_since_prompt and self._log_since_prompt
        self.prompt = prompt
        self.prompts += 1
        self.at_prompt = True
        enough_echoed = not self.echoing or self.echoed > self.answered
        if not redrawn and self.answered < len(self.commands) and enough_echoed:
            self.answered += 1
            self._after.append(prompt)
        self._only_log_since_prompt = True
        self._log_since_prompt = False

    def _keep(self, line: str) -> None:
        place = min(self.answered, len(self.texts) - 1)
        if self.echoing and self.answered and self.echoed <= self.answered:
            place = (
                self.answered - 1
            )  # after a prompt and before the next echo: said late, of the command before
        self.texts[place].append(line)

    def _echo(self, line: str) -> bool:
        """True when ``line`` is, or continues, the echo of the next command not yet seen."""
        if self.echoed >= len(self.commands):
            return False
        command = _squeezed(self.commands[self.echoed])
        seen = _squeezed(line)
        if not self._echo_so_far and _scrolled_echo(seen, command):
            self.echoed += 1
            return True
        whole = self._echo_so_far + seen
        if whole == command or (self._echo_so_far and _scrolled_echo(seen, command)):
            self.echoed += 1
            self._forget_echo()
            return True
        if command.startswith(whole):
            self._echo_so_far = whole
            self._echo_lines.append(line)
            return True
        self._give_up_echo()
        return False

    def _give_up_echo(self) -> None:
        """What looked like the beginning of an echo was not: it is output, and is judged as such."""
        for line in self._echo_lines:
            self._keep(line)
        self._forget_echo()

    def _forget_echo(self) -> None:
        self._echo_lines = []
        self._echo_so_far = ""
        self._log_in_echo = False


def _squeezed(text: str) -> str:
    return "".join(text.split())


def _scrolled_echo(seen: str, command: str) -> bool:
    """True for a line that IOS scrolled: ``$`` for what is left of the screen, or right of it (ios-facts
    3.4)."""
    body = seen.strip("$")
    if body == seen or not body:
        return False
    if seen.startswith("$") and seen.endswith("$"):
        return body in command
    return command.endswith(body) if seen.startswith("$") else command.startswith(body)
