"""Forks for `asking.py`: a process that has imported what the commands import, in the folder of a checkout.

Run as `answering.py SOCKET`. Of each command its words, folder, environment, input and output come over the socket; its
exit status goes back. Ends with the process group that the tests end.
"""

from __future__ import annotations

import contextlib
import json
import os
import signal
import socket
import sys
from pathlib import Path

sys.path[0] = os.getcwd()


def main() -> None:
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "provisioning.settings")
    from provisioning.management.demo import typist

    typist._import_everything()
    signal.signal(signal.SIGCHLD, _take_note)
    with socket.socket(socket.AF_UNIX) as door:
        door.bind(f"{sys.argv[1]}.new")
        door.listen()
        os.rename(f"{sys.argv[1]}.new", sys.argv[1])
        while True:
            asked, _ = door.accept()
            if os.fork() == 0:
                signal.signal(signal.SIGCHLD, signal.SIG_DFL)
                asked.send(str(_status(asked)).encode())
                os._exit(0)
            asked.close()


def _take_note(_signal: int, _frame: object) -> None:
    """Of those that ended, so that what they took counts as taken by us."""
    with contextlib.suppress(ChildProcessError):
        while os.waitpid(-1, os.WNOHANG)[0]:
            pass


def _status(asked: socket.socket) -> int:
    size, files, _, _ = socket.recv_fds(asked, 8, 3)
    said = b""
    while len(said) < int(size):
        said += asked.recv(65536)
    typing = os.fork()
    if typing == 0:
        _type(json.loads(said), files)
    for file in files:
        os.close(file)
    return os.waitstatus_to_exitcode(os.waitpid(typing, 0)[1])


def _type(said: dict[str, object], files: list[int]) -> None:
    """The forked process: it runs the command and ends; never returns."""
    from provisioning.management.demo import typist

    status = 1
    try:
        for number, file in enumerate(files):
            os.dup2(file, number)
        sys.stdin = open(0, encoding="utf-8", closefd=False)  # noqa: SIM115 - the parent's is of another file
        os.environ.clear()
        os.environ.update(said["environment"])  # type: ignore[call-overload]
        os.chdir(str(said["folder"]))
        sys.argv = list(said["words"])  # type: ignore[call-overload]
        _have_folders()
        import manage

        status = typist._status_of(manage.main)
        sys.stdout.flush()
        sys.stderr.flush()
    finally:
        os._exit(status)


def _have_folders() -> None:
    """Make the folders that settings make where they are read: for us that was once, and they may be gone since."""
    from django.conf import settings

    settings.STATIC_ROOT.mkdir(parents=True, exist_ok=True)
    if settings.DATABASES["default"]["ENGINE"].endswith("sqlite3"):
        Path(settings.DATABASES["default"]["NAME"]).parent.mkdir(parents=True, exist_ok=True)


if __name__ == "__main__":
    main()
