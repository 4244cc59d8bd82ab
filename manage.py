#!/usr/bin/env python3
"""Expedite's commands: `manage.py help` lists them."""

import os
import select
import signal
import sys
from collections.abc import Callable


def main() -> None:
    if sys.argv[1:2] == ["mqc"]:  # needs neither settings nor applications, and is to answer at once
        from provisioning.management.mqc_door import main as mqc

        _carry_out(lambda _: sys.exit(mqc(sys.argv[2:])))
        return
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "provisioning.settings")
    try:
        from provisioning.management.listing import execute
    except ImportError as error:
        raise SystemExit(
            "Django is not installed here: run `make setup` and use .venv/bin/python."
        ) from error
    _carry_out(execute)


def _carry_out(command: Callable[[list[str]], object]) -> None:
    """Let a command run, and say what is wrong with output that nobody reads, or with the database; Ctrl-C is no error."""
    try:
        command(sys.argv)
        sys.stdout.flush()
    except BaseException as error:
        if nobody_reads():
            # What is still buffered goes nowhere, or the interpreter would complain about it on its way out.
            os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
            raise SystemExit(128 + signal.SIGPIPE) from None
        if isinstance(error, SystemExit):
            raise
        if isinstance(error, KeyboardInterrupt) and "--traceback" not in sys.argv:
            sys.stderr.write("interrupted\n")
            raise SystemExit(128 + signal.SIGINT) from None
        reason = what_the_database_lacks(error)
        if reason and "--traceback" not in sys.argv:
            raise SystemExit(f"CommandError: {reason}") from None
        raise


def what_the_database_lacks(error: BaseException) -> str:
    """One line for a database that was never made or does not answer; empty for any other error."""
    from django.db import OperationalError, ProgrammingError

    if not isinstance(error, OperationalError | ProgrammingError):
        return ""
    text = (str(error).splitlines() or [""])[0]
    if "no such table" in text or ("relation" in text and "does not exist" in text):
        return f"the database has not all its tables ({text}): run `manage.py migrate` first"
    if isinstance(error, OperationalError):
        return f"the database cannot be used: {text} (DATABASE_URL says where it is)"
    return ""


def nobody_reads() -> bool:
    """Whether whoever read our output has stopped (`| head`): then a command ends as any Unix tool would, quietly."""
    output = select.poll()
    output.register(sys.stdout.fileno(), 0)
    return any(event & select.POLLERR for _, event in output.poll(0))


if __name__ == "__main__":
    main()
