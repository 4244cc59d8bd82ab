"""Types one `manage.py` command in a fork of a process that has everything imported (`answering.py`), started when needed.

Run by the checkout's `.venv/bin/python` as `asking.py PYTHON FOLDER manage.py ...`. A process of its own spends seconds on
imports before it does anything; what is typed here gets its arguments, environment, folder, input and output as there, and
gives its exit status. Imports little, and nothing of ours.
"""

import hashlib
import json
import os
import socket
import sys
import time


def main() -> None:
    python, folder, *words = sys.argv[1:]
    sock = f"{folder}/{_settings(folder)}"
    answer = _asked(sock, words) if _is_there(sock, python, folder) else ""
    if not answer:
        os.execv(python, [python, *words])  # what cannot be imported fails as it would without us
    sys.exit(int(answer))


def _settings(folder: str) -> str:
    """What the settings are made of, which are read once: another process for others."""
    with open(f"{folder}/names", encoding="utf-8") as names:
        said = {name: os.environ[name] for name in names.read().split() if name in os.environ}
    try:
        with open(os.environ.get("EXPEDITE_ENV_FILE", ".env"), encoding="utf-8") as file:
            said[""] = file.read()
    except OSError:
        pass
    return hashlib.sha256(json.dumps([os.getcwd(), said], sort_keys=True).encode()).hexdigest()[:16]


def _is_there(sock: str, python: str, folder: str) -> bool:
    if os.path.exists(sock):
        return True
    server = os.fork()
    if server == 0:
        os.setsid()
        log = os.open(f"{sock}.log", os.O_WRONLY | os.O_CREAT)
        os.dup2(os.open(os.devnull, os.O_RDONLY), 0)
        os.dup2(log, 1)
        os.dup2(log, 2)
        os.execv(python, [python, f"{os.path.dirname(__file__)}/answering.py", sock])
    with open(f"{folder}/servers", "a", encoding="utf-8") as servers:
        servers.write(f"{server}\n")
    while not os.path.exists(sock):
        if os.waitpid(server, os.WNOHANG)[0]:
            return False
        time.sleep(0.02)
    return True


def _asked(sock: str, words: list[str]) -> str:
    with socket.socket(socket.AF_UNIX) as asked:
        asked.connect(sock)
        said = json.dumps({"words": words, "folder": os.getcwd(), "environment": dict(os.environ)}).encode()
        socket.send_fds(asked, [f"{len(said):8}".encode()], [0, 1, 2])
        asked.sendall(said)
        return asked.recv(16).decode()


if __name__ == "__main__":
    main()
