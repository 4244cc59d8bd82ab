"""The instructor's door: one JSON object per line in, one out, over a unix socket."""

from __future__ import annotations

import json
import socket
from collections.abc import Mapping
from pathlib import Path
from types import TracebackType

from lab.errors import LabError


class ControlError(LabError):
    """The practice network answered with an error."""


class Control:
    """A client: ``Control(path).call("state", router="nl6")`` returns the answer as a dict."""

    def __init__(self, path: str | Path, timeout: float = 30.0) -> None:
        self._socket = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        self._socket.settimeout(timeout)
        self._socket.connect(str(path))
        self._file = self._socket.makefile("rwb")

    def call(self, op: str, **fields: object) -> dict[str, object]:
        """One operation; raises ControlError with the reason when it is refused."""
        self._file.write(json.dumps({"op": op, **fields}).encode() + b"\n")
        self._file.flush()
        line = self._file.readline()
        if not line:
            raise ControlError("the practice network closed the connection")
        answer: dict[str, object] = json.loads(line)
        if "error" in answer:
            raise ControlError(str(answer["error"]))
        return answer

    def fault(self, router: str, fault: Mapping[str, object]) -> None:
        """Give a router a fault."""
        self.call("fault", router=router, fault=dict(fault))

    def close(self) -> None:
        """Hang up."""
        self._file.close()
        self._socket.close()

    def __enter__(self) -> Control:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()
