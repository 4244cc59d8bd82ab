"""Run by test_bounded_input in a process of its own: the commands on input without end, with a ceiling on memory.

Prints a JSON list of (exit status, reason, MiB this process has held at most), one for each command line of argv[2:].
"""

from __future__ import annotations

import contextlib
import io
import json
import resource
import sys

import django
from django.core.management import CommandError, call_command


def main() -> None:
    ceiling = int(sys.argv[1])
    django.setup()
    resource.setrlimit(resource.RLIMIT_AS, (ceiling, ceiling))
    told = []
    for words in sys.argv[2:]:
        status, reason = 0, ""
        try:
            with contextlib.redirect_stdout(io.StringIO()):
                call_command(*words.split(" "))
        except CommandError as refused:
            status, reason = refused.returncode, str(refused)
        told.append((status, reason, resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024))
    print(json.dumps(told))


if __name__ == "__main__":
    main()
