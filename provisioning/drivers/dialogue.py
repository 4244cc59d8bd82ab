"""A conversation with an IOS vty: find the prompt, become privileged, send and know where each reply ends."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence
from types import MappingProxyType
from typing import Final

from provisioning.drivers.base import Timeouts, VtyRefused
from provisioning.drivers.exchange import DialogueError, Exchange
from provisioning.drivers.judging import is_syslog, judge_reading, spoken_by_itself, without_noise
from provisioning.drivers.prompts import (
    Prompt,
    first_prompt,
    is_pager,
    is_password_question,
    is_question,
    prompt_at_start,
)
from provisioning.drivers.replies import Replies, read_replies
from provisioning.drivers.screen import cursor_line, lines_seen
from provisioning.drivers.transcripts import Transcript
from provisioning.drivers.wire import Wire, WireError
from provisioning.errors import AuthenticationRefused, Unreachable

UNPROVEN_QUIET_S: Final = 1.5
"""A reply without its echo counts only after this much silence at a prompt."""
ECHOLESS_QUIET_S: Final = 0.25
"""The same on a router that is known not to echo."""
LATE_QUIET_S: Final = 0.3
"""What is said after the prompt, and followed by none, is over after this much silence."""
LATE_FLOOD_S: Final = 2.0
"""How long a router that does not stop talking between two lines is listened to before the next is sent."""
SHORT_REPLY: Final = 8192
"""Characters up to which a reply is looked at whenever more of it comes; a longer one only at a prompt or when it pauses."""
PAUSE_S: Final = 0.05
"""After so much silence a long reply is looked at wherever it stands."""
QUESTION_QUIET_S: Final = 0.25
"""Text that looks like a question is one when nothing follows it for this long."""


class Dialogue:
    """One vty session. Not for two threads at once."""

    def __init__(
        self,
        wire: Wire,
        transcript: Transcript,
        timeouts: Timeouts,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._wire = wire
        self._clock = clock
        self.transcript = transcript
        self.timeouts = timeouts
        self.prompt = Prompt("", None, False)
        self.echoing = True
        self.paging = False
        self.logged_over = False
        self.overheard: list[str] = []
        self.listen_until: float | None = None
        self.dead: str | None = None

    # -- beginning and end

    def log_in(self) -> None:
        """Wait for a prompt, whatever the banner says, and make sure of it with an empty line.

        Raises ``VtyRefused`` when the router closes the session, ``Unreachable`` when no IOS prompt comes
        in time.
        """
        asked = self._clock()
        deadline = asked + self.timeouts.login
        raw, length_when_asked = "", 0
        candidate: Prompt | None = None
        try:
            while self._clock() < deadline:
                chunk = self._wire.read(PAUSE_S / 2 if first_prompt(cursor_line(raw)) else 0.1)
                raw += chunk
                if chunk:
                    if is_pager(cursor_line(raw)):
                        self._wire.write(" ")
                    continue
                seen = first_prompt(cursor_line(raw))
                answered = len(raw) > length_when_asked
                if seen is not None and candidate == seen and answered:
                    self.transcript.received("\n".join(lines_seen(raw)))
                    self.prompt = seen
                    return
                if (seen is not None and answered) or self._clock() - asked > 2.0:
                    candidate = seen
                    length_when_asked = len(raw)
                    self._wire.write("\n")
                    asked = self._clock()
        except WireError as closed:
            said = " ".join(line.strip() for line in lines_seen(raw) if line.strip())
            self.transcript.received(said)
            raise VtyRefused(f"the router closed the session at login: {said or closed}") from closed
        last = cursor_line(raw).strip()[:80]
        self.transcript.received("\n".join(lines_seen(raw)))
        raise Unreachable(f"no IOS prompt within {self.timeouts.login:g} s of login; last seen {last!r}")

    def become_privileged(self, secret: str) -> None:
        """``enable`` unless the prompt is already ``#``. Raises ``AuthenticationRefused`` with field ``enable``."""
        if self.prompt.privileged:
            return
        exchange = self._exchange(["enable"], self.timeouts.login, shown=["enable"])
        if exchange.question is not None and is_password_question(exchange.question):
            if not secret:
                raise AuthenticationRefused(
                    "the router asks for an enable secret and none is stored", field="enable"
                )
            exchange = self._exchange([secret], self.timeouts.login, shown=["<removed>"], hidden=True)
        said = " ".join(exchange.replies.texts).strip()
        if exchange.question is not None or not self.prompt.privileged:
            raise AuthenticationRefused(f"enable refused: {said or 'no privilege given'}", field="enable")

    def prepare(self) -> None:
        """No pager, no wrapped lines. A router that knows neither command is still read: both are coped with."""
        commands = ("terminal length 0", "terminal width 512")
        for command, reply in zip(commands, self.run_all(commands, self.timeouts.login), strict=True):
            if judge_reading(reply) is not None:
                self.transcript.note(f"{command} is not known here; lines may be paged or wrapped")
                self.paging = self.paging or command.startswith("terminal length")

    def close(self) -> None:
        """Log out if the session lives, then close the channel."""
        if self.dead is None:
            try:
                self._wire.write("end\nexit\n" if self.prompt.configuring else "exit\n")
            except WireError as closed:
                self.dead = str(closed)
        self.dead = self.dead or "closed"
        self._wire.close()

    # -- talking

    def run(
        self,
        command: str,
        seconds: float,
        *,
        whole: Callable[[str], bool] | None = None,
        summary: Callable[[str], str] | None = None,
    ) -> str:
        """Send one exec command and return its output: log lines, time stamps of ``exec prompt timestamp``
        removed.

        ``whole`` may deny that the output is whole although something like a prompt was seen (a banner can
        contain one). ``summary`` is what the transcript keeps instead of the text. A question is answered
        with ``n``, and the question is the reply. ``seconds`` bounds the silence, not the whole: a long
        running-config may come for as long as it keeps coming, up to ``Timeouts.longest``. ``logged_over``
        tells afterwards whether log lines came within the output: one may have cut a line of it in two.
        """
        summaries = {} if summary is None else {command: summary}
        exchange = self._exchange(
            [command], seconds, settle=0.0, whole=whole, summaries=summaries, steady=True
        )
        if exchange.question is not None:
            self.decline(exchange.question)
        self._overhear(exchange.replies.texts)
        return without_noise(exchange.replies.texts[0])

    def run_all(
        self,
        commands: Sequence[str],
        seconds: float,
        *,
        summaries: Mapping[str, Callable[[str], str]] = MappingProxyType({}),
    ) -> tuple[str, ...]:
        """Send several exec commands in one write and return the output of each, as ``run`` does; ``logged_over`` is of any.

        ``summaries``: of which commands the transcript keeps something else than the output. A router that does not echo is
        asked one by one, for nothing else tells its outputs apart; so is one whose pager cannot be switched off, for that takes
        what is typed ahead for its own keys.
        """
        if not self.echoing or self.paging or len(commands) < 2:
            texts, over = [], False
            for command in commands:
                texts.append(self.run(command, seconds, summary=summaries.get(command)))
                over = over or self.logged_over
            self.logged_over = over
            return tuple(texts)
        exchange = self._exchange(list(commands), seconds, settle=0.0, summaries=summaries, steady=True)
        if exchange.question is not None:
            self.decline(exchange.question)
        self._overhear(exchange.replies.texts)
        return tuple(without_noise(text) for text in exchange.replies.texts)

    def write(
        self,
        lines: Sequence[str],
        *,
        seconds: float,
        settle: float,
        urgent: Callable[[str], bool] | None = None,
    ) -> Exchange:
        """Send lines in one write and wait for as many prompts; then listen until ``settle`` seconds are
        quiet, but not a moment longer where ``urgent`` says so of the last reply."""
        return self._exchange(list(lines), seconds, settle=settle, urgent=urgent)

    def answer(self, text: str, seconds: float) -> Exchange:
        """Answer a question: ``text`` and a newline."""
        return self._exchange([text], seconds, hidden=True)

    def decline(self, question: str) -> None:
        """Say no to a question nobody expected, and come back to a prompt."""
        one_key = question.rstrip().endswith("[confirm]")
        self.transcript.sent("n" if one_key else "no")
        try:
            self._wire.write("n" if one_key else "no\n")
        except WireError as closed:
            raise self._lost(str(closed)) from closed
        self._collect(["n" if one_key else "no"], self.timeouts.reply, settle=0.3, hidden=True)

    def listen(self, seconds: float) -> None:
        """From now on, for so long, what is said by itself counts: `heard` waits for it and returns it."""
        self.overheard.clear()
        self.listen_until = self._clock() + seconds

    def heard(self, urgent: Callable[[str], bool]) -> str:
        """What was said by itself since `listen`, in the middle of replies too; waits until that time is over, or something
        ``urgent`` was said. Empty where nobody listens."""
        if self.listen_until is None:
            return ""
        said = "\n".join([*self.overheard, self.late()])
        while not urgent(said) and (left := self.listen_until - self._clock()) > 0:
            said += "\n" + self.late(left)
        self.listen_until = None
        return said

    def late(self, patience: float = 0.001) -> str:
        """What the router said since the last reply, waiting so many seconds for the first of it."""
        raw = ""
        began = self._clock()
        try:
            while chunk := self._wire.read(patience if not raw else 0.001 if raw.endswith("\n") else 0.2):
                raw += chunk
                if self._clock() - began > LATE_FLOOD_S:
                    break  # a router that logs without end is listened to between the next lines
        except WireError as closed:
            raise self._lost(str(closed), sending=False) from closed
        if not raw:
            return ""
        text = "\n".join(read_replies(raw, ["\0"], self.prompt.hostname, echoing=False).texts)
        self.transcript.received(text)
        return text

    # -- inside

    def _exchange(
        self,
        commands: list[str],
        seconds: float,
        *,
        settle: float | None = None,
        shown: list[str] | None = None,
        hidden: bool = False,
        whole: Callable[[str], bool] | None = None,
        summaries: Mapping[str, Callable[[str], str]] = MappingProxyType({}),
        steady: bool = False,
        urgent: Callable[[str], bool] | None = None,
    ) -> Exchange:
        if self.dead is not None:
            raise DialogueError(self.dead, sending=False)
        if self.listen_until is not None:
            self.overheard.append(self.late())
        for command in shown or commands:
            self.transcript.sent(command)
        try:
            self._wire.write("".join(f"{command}\n" for command in commands))
        except WireError as closed:
            raise self._lost(str(closed)) from closed
        return self._collect(
            commands,
            seconds,
            settle=settle,
            hidden=hidden,
            whole=whole,
            summaries=summaries,
            steady=steady,
            urgent=urgent,
        )

    def _collect(
        self,
        commands: list[str],
        seconds: float,
        *,
        settle: float | None,
        hidden: bool,
        whole: Callable[[str], bool] | None = None,
        summaries: Mapping[str, Callable[[str], str]] = MappingProxyType({}),
        steady: bool = False,
        urgent: Callable[[str], bool] | None = None,
    ) -> Exchange:
        settle = self.timeouts.settle if settle is None else settle
        began = quiet_since = self._clock()
        ended_since: float | None = None
        kept = [summaries.get(command) for command in commands]
        raw, echoing = "", self.echoing and not hidden
        needed = settle if echoing or hidden else max(settle, ECHOLESS_QUIET_S)
        while True:
            now = self._clock()
            quiet = now - quiet_since
            replies = None
            if len(raw) < SHORT_REPLY or quiet >= max(needed, PAUSE_S) or self._at_prompt(raw):
                replies = self._ended(raw, commands, quiet, echoing)
            ended_since = None if replies is None else (ended_since or now)
            deadline = began + seconds
            if steady:
                deadline = min(quiet_since + seconds, began + max(seconds, self.timeouts.longest))
            overdue = now > deadline
            if replies is not None and ended_since is not None:
                # A router that keeps logging is never quiet: then its prompt has to have stood for a while.
                enough = needed if replies.at_prompt else max(needed, LATE_QUIET_S)
                if urgent is not None and echoing and urgent(replies.texts[-1]):
                    enough = 0.0
                listened = quiet >= enough or overdue or now - ended_since >= 2 * enough + 0.5
                if listened and (
                    whole is None or whole(without_noise(replies.texts[0])) or quiet > UNPROVEN_QUIET_S
                ):
                    lasted = ended_since - began
                    return self._conclude(replies, None, kept, learn=not hidden, seconds=lasted)
            if is_question(cursor_line(raw)) and quiet > (
                settle if is_password_question(cursor_line(raw)) else QUESTION_QUIET_S
            ):
                replies = read_replies(raw, commands, self.prompt.hostname, echoing=echoing)
                return self._conclude(replies, cursor_line(raw).strip(), kept, learn=False)
            if overdue:
                replies = read_replies(raw, commands, self.prompt.hostname, echoing=echoing)
                self.transcript.received("\n".join(replies.texts))
                waited = f"silent for {seconds:g} s" if steady else f"no prompt within {seconds:g} s"
                if steady and quiet <= seconds:
                    waited = f"still talking after {now - began:.0f} s"
                raise self._lost(waited, replies)
            try:
                chunk = self._wire.read(min(deadline - now + 0.01, self._patience(raw, settle)))
                if chunk:
                    raw += chunk
                    quiet_since = self._clock()
                    if is_pager(cursor_line(raw)):
                        self._wire.write(" ")
            except WireError as closed:
                replies = read_replies(raw, commands, self.prompt.hostname, echoing=echoing)
                self.transcript.received("\n".join(replies.texts))
                raise self._lost(str(closed), replies) from closed

    def _patience(self, raw: str, settle: float) -> float:
        """How long to wait for the next bytes before looking again at what is there."""
        if cursor_line(raw).strip()[-1:] in ("#", ">", ":"):
            return max(settle, 0.01)
        return max(settle, 0.1)

    def _at_prompt(self, raw: str) -> bool:
        line = cursor_line(raw)
        return len(line) < 512 and prompt_at_start(line, self.prompt.hostname) is not None

    def _ended(self, raw: str, commands: list[str], quiet: float, echoing: bool) -> Replies | None:
        """The replies when the router is back at its prompt: proven by the echo, or by ``UNPROVEN_QUIET_S``."""
        if raw.count("#") + raw.count(">") < len(commands):
            return None  # each reply ends in a prompt: looked for only where there can be as many
        replies = read_replies(raw, commands, self.prompt.hostname, echoing=echoing)
        if replies.complete:
            return replies
        if quiet >= UNPROVEN_QUIET_S and replies.plausible:
            return read_replies(raw, commands, self.prompt.hostname, echoing=False)
        return None

    def _overhear(self, texts: Sequence[str]) -> None:
        lines = [line for text in texts for line in text.split("\n")]
        self.logged_over = any(map(is_syslog, lines))
        if self.listen_until is not None:
            self.overheard += filter(spoken_by_itself, lines)

    def _conclude(
        self,
        replies: Replies,
        question: str | None,
        summaries: Sequence[Callable[[str], str] | None],
        *,
        learn: bool,
        seconds: float = 0.0,
    ) -> Exchange:
        if replies.prompt is not None:
            self.prompt = replies.prompt
        if learn:
            self.echoing = replies.echoed > 0
        for text, summary in zip(replies.texts, summaries, strict=True):
            self.transcript.received(f"[{summary(text)}]" if summary else text)
        if question is None:
            self.transcript.received(str(self.prompt))
        return Exchange(replies, question, seconds)

    def _lost(self, reason: str, replies: Replies | None = None, *, sending: bool = True) -> DialogueError:
        self.dead = reason
        self.transcript.note(f"session lost: {reason}")
        self._wire.close()
        return DialogueError(reason, replies, sending=sending)
