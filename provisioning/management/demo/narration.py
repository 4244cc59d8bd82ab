"""How the story is printed: numbered steps, what was typed, what came back."""

from __future__ import annotations

import sys
import time
from typing import TextIO


class Narrator:
    """Prints for a person who reads along; keeps the time."""

    def __init__(self, out: TextIO = sys.stdout) -> None:
        self.out, self.number, self.began = out, 0, time.monotonic()

    def step(self, title: str) -> None:
        self.number += 1
        elapsed = time.monotonic() - self.began
        self._print(f"\n{self.number:>2}. {title}  [{elapsed:.0f} s]")

    def typed(self, words: str) -> None:
        self._print(f"    $ {words}")

    def said(self, text: str, *, most: int = 60) -> None:
        lines = text.splitlines()
        for line in lines[:most]:
            self._print(f"      {line}")
        if len(lines) > most:
            self._print(f"      ... {len(lines) - most} more lines")

    def note(self, text: str) -> None:
        self._print(f"    {text}")

    def end(self) -> None:
        self._print(
            f"\nThe story is told: every step did what it says.  [{time.monotonic() - self.began:.0f} s]"
        )

    def _print(self, text: str) -> None:
        self.out.write(text + "\n")
        self.out.flush()
