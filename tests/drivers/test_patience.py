"""How long a router is listened to: as long as it talks, not a moment longer than it may be silent; on a made-up clock."""

from __future__ import annotations

import pytest

from provisioning.drivers import Timeouts
from provisioning.drivers.dialogue import Dialogue
from provisioning.drivers.exchange import DialogueError
from provisioning.drivers.transcripts import Transcript

CONFIGURATION = "version 12.4\n" + "".join(f"interface POS{slot}/0\n!\n" for slot in range(300)) + "end\n"


class Line:
    """A vty on a clock of its own: after a command, pieces of the answer come so many seconds apart."""

    def __init__(self, pieces: list[str], seconds_apart: float) -> None:
        self.now = 0.0
        self.pieces, self.seconds_apart = pieces, seconds_apart
        self.due: list[tuple[float, str]] = []

    def clock(self) -> float:
        return self.now

    def write(self, text: str) -> None:
        if text == "\n":
            self.due.append((self.now, "\nr1#"))
        elif text.startswith("show"):
            self.due.append((self.now, text))
            self.due += [(self.now + self.seconds_apart * n, piece) for n, piece in enumerate(self.pieces, 1)]

    def read(self, seconds: float) -> str:
        if self.due and self.due[0][0] <= self.now + seconds:
            when, text = self.due.pop(0)
            self.now = max(self.now, when)
            return text
        self.now += seconds
        return ""

    def close(self) -> None:
        self.due.clear()


def asked(line: Line, **waits: float) -> Dialogue:
    timeouts = Timeouts(login=20, read=10, **waits)
    dialogue = Dialogue(line, Transcript((), line.clock), timeouts, line.clock)  # type: ignore[arg-type]
    line.due.append((0.0, "r1#"))
    dialogue.log_in()
    return dialogue


def in_pieces(count: int) -> list[str]:
    size = -(-len(CONFIGURATION) // count)
    return [*(CONFIGURATION[at : at + size] for at in range(0, len(CONFIGURATION), size)), "r1#"]


def test_a_configuration_that_keeps_coming_is_read_to_its_end_however_long_it_takes() -> None:
    line = Line(in_pieces(50), seconds_apart=8)
    assert asked(line).run("show running-config", 10).splitlines() == CONFIGURATION.splitlines()
    assert line.now > 400, "far beyond what a silence may last"


def test_a_router_that_falls_silent_is_given_up_after_the_silence() -> None:
    line = Line(in_pieces(50)[:3], seconds_apart=8)
    with pytest.raises(DialogueError, match="silent for 10 s"):
        asked(line).run("show running-config", 10)
    assert line.now < 60


def test_a_router_that_never_stops_is_given_up_too() -> None:
    line = Line(["*Mar  1 00:00:01: %SYS-5-CONFIG_I: again\n"] * 1000, seconds_apart=5)
    with pytest.raises(DialogueError, match="still talking"):
        asked(line, longest=600).run("show running-config", 10)
    assert 600 <= line.now < 620
