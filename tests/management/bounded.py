"""Run by test_bounded_input in a process of its own: the commands on input without end, with a ceiling on memory.

Prints a JSON list of (exit status, reason, MiB this process has held at most), one for each command line of argv[2:].
"""

from __future__ import annotations

import contextlib
import io
import json
import resource
import sys
from pathlib import Path

import django
from django.core.management import CommandError, call_command


def most_memory_mib() -> float:
    """The most this program has held. Not `ru_maxrss`: that begins with what the process held that started it."""
    status = Path("/proc/self/status").read_text()
    (kib,) = (line.split()[1] for line in status.splitlines() if line.startswith("VmHWM:"))
    return int(kib) / 1024


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
        told.append((status, reason, most_memory_mib()))
    print(json.dumps(told))


if __name__ == "__main__":
    main()
