"""Exit statuses (docs/reference/client.md): a script tells by them what came of a command."""

from __future__ import annotations

from enum import IntEnum

from expedite_client.errors import ClientError, InvalidInput, NoSuch, Problem


class Exit(IntEnum):
    """What came of it."""

    DONE = 0
    NOT_SO = 1
    """Understood, and refused: it does not fit, a state or another person does not allow it."""
    BAD_INPUT = 2
    NOT_PERMITTED = 3
    NOT_FOUND = 4
    NO_SERVER = 5
    INTERRUPTED = 130


def exit_of(error: ClientError) -> Exit:
    """Return the status for an error."""
    if isinstance(error, Problem):
        return _of_status(error.status)
    if isinstance(error, NoSuch):
        return Exit.NOT_FOUND
    return Exit.BAD_INPUT if isinstance(error, InvalidInput) else Exit.NO_SERVER


def _of_status(status: int) -> Exit:
    if status in {401, 403}:
        return Exit.NOT_PERMITTED
    if status == 404:
        return Exit.NOT_FOUND
    if status in {409, 412}:
        return Exit.NOT_SO
    return Exit.NO_SERVER if status >= 500 or status == 429 else Exit.BAD_INPUT
