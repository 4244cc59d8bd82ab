"""Types the story's commands: one process that has everything imported, and a fork of it for each command.

A `manage.py` started from nothing spends 1.2 s of a processor on imports before it does anything, and a story types some
sixty. A fork has them already, and is otherwise what a terminal gives: its own arguments, input, output and exit status.

Run as `python -m provisioning.management.demo.typist`. On standard input a line of JSON `{"words": [...], "stdin": "..."}`
a command, on standard output a line `{"status": 0, "stdout": "...", "stderr": "..."}` each; the end of the input ends it.
"""

from __future__ import annotations

import importlib
import json
import os
import sys
import tempfile
import traceback
from collections.abc import Sequence
from typing import IO, Any


def main() -> None:
    import manage

    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "provisioning.settings")
    _import_everything()
    for line in sys.stdin:
        asked = json.loads(line)
        sys.stdout.write(json.dumps(_typed(manage.main, asked["words"], asked["stdin"])) + "\n")
        sys.stdout.flush()


def _import_everything() -> None:
    """What the commands import, and the pages' modules, which Django checks before each; opens no database."""
    import django
    from django.conf import settings
    from django.core.management import get_commands, load_command_class

    django.setup()
    importlib.import_module(settings.ROOT_URLCONF)
    for name, where in get_commands().items():
        if where == "provisioning":
            load_command_class(where, name)


def _typed(command: Any, words: Sequence[str], stdin: str) -> dict[str, Any]:
    """What one command printed and how it ended."""
    with tempfile.TemporaryFile() as given, tempfile.TemporaryFile() as out, tempfile.TemporaryFile() as err:
        given.write(stdin.encode())
        given.seek(0)
        sys.stdout.flush()
        child = os.fork()
        if child == 0:
            _become(command, words, given, out, err)
        _pid, status = os.waitpid(child, 0)
        return {
            "status": os.waitstatus_to_exitcode(status),
            "stdout": _all_of(out),
            "stderr": _all_of(err),
        }


def _become(command: Any, words: Sequence[str], given: IO[bytes], out: IO[bytes], err: IO[bytes]) -> None:
    """The forked process: it runs the command and ends; never returns."""
    status = 1
    try:
        for file, number in ((given, 0), (out, 1), (err, 2)):
            os.dup2(file.fileno(), number)
        sys.stdin = open(0, encoding="utf-8", closefd=False)  # noqa: SIM115 - the parent's has read ahead
        sys.argv = ["manage.py", *words]
        status = _status_of(command)
        sys.stdout.flush()
        sys.stderr.flush()
    finally:
        os._exit(status)  # not sys.exit: nothing of the parent's is to be cleaned up here


def _status_of(command: Any) -> int:
    """The exit status the interpreter would give the command, its last words on standard error."""
    try:
        command()
    except SystemExit as end:
        if end.code is None or isinstance(end.code, int):
            return int(end.code or 0)
        sys.stderr.write(f"{end.code}\n")
        return 1
    except Exception:  # noqa: BLE001 - whatever it is, the interpreter would print it
        traceback.print_exc()
        return 1
    return 0


def _all_of(file: IO[bytes]) -> str:
    file.seek(0)
    return file.read().decode(errors="replace")


if __name__ == "__main__":
    main()
