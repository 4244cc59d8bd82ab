"""Speaking to the practice routers' control socket: one JSON object per line there, one back."""

from __future__ import annotations

import json
import socket
from pathlib import Path
from typing import Any

from provisioning.errors import Conflict, InvalidInput, Unreachable

ANSWER_SECONDS = 30.0


def call(*, state_dir: Path, op: str, router: str | None = None, **arguments: Any) -> dict[str, Any]:
    """Return the answer of the practice routers to `op`.

    Raises:
        Unreachable: no practice routers run over `state_dir`, or they stopped answering.
        InvalidInput: they refuse the operation or one of its arguments, with their reason.
    """
    message = {"op": op, **({} if router is None else {"router": router}), **arguments}
    path = state_dir / "control.sock"
    try:
        with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as connection:
            connection.settimeout(ANSWER_SECONDS)
            connection.connect(str(path))
            connection.sendall(json.dumps(message).encode() + b"\n")
            with connection.makefile("rb") as stream:
                line = stream.readline()
    except OSError as error:
        raise Unreachable(
            f"No practice routers answer at {path}: {error}. Start them with `manage.py lab`."
        ) from error
    if not line:
        raise Unreachable("The practice routers closed the control connection without an answer.")
    try:
        answer = json.loads(line)
    except ValueError as error:
        raise Conflict(f"The practice routers did not answer in JSON: {line[:80]!r}") from error
    if not isinstance(answer, dict):
        raise Conflict(f"The practice routers did not answer with an object: {line[:80]!r}")
    if answer.get("ok") is False or answer.get("error"):
        raise InvalidInput(str(answer.get("error") or "the practice routers refuse this"), field=router or op)
    return answer


def running(*, state_dir: Path) -> bool:
    """Return whether somebody accepts connections on the control socket."""
    try:
        with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as connection:
            connection.settimeout(2.0)
            connection.connect(str(state_dir / "control.sock"))
    except OSError:
        return False
    return True
