"""What a document presupposes, made by the commands that another one tells to type; and what cannot be typed in a test."""

from __future__ import annotations

from collections.abc import Mapping

from tests.docs.blocks import Command

# Document, beginning of the command, why a test does not type it.
SKIPPED: tuple[tuple[str, str, str], ...] = (
    ("docs/tutorial/first-request.md", "make setup", "the test has an environment; tests/image.py sets one up"),
)


def is_skipped(document: str, command: Command) -> bool:
    return any(document == where and command.text.startswith(begins) for where, begins, _why in SKIPPED)


def preparation_of(_document: str) -> str:
    return ""


def environment_of(_document: str) -> Mapping[str, str]:
    return {}
