"""The NREN's side of the story: a client of the API with a bearer token."""

from __future__ import annotations

import time
from typing import Any

import requests

from provisioning.management.demo.house import DoorFailed


class Nren:
    """One NREN speaking through `/api/v1/`."""

    def __init__(self, url: str, name: str, token: str) -> None:
        self.name, self._url = name, f"{url}/api/v1"
        self._session = requests.Session()
        self._session.headers["Authorization"] = f"Bearer {token}"

    def ask(self, **body: Any) -> dict[str, Any]:
        """POST a request; the row it became. Raises DoorFailed with the problem document when refused."""
        row: dict[str, Any] = self._send("POST", "/premium-requests/", json=body)
        return row

    def see(self, number: int) -> dict[str, Any]:
        return self._send("GET", f"/premium-requests/{number}/")

    def consent(self, number: int, reason: str) -> dict[str, Any]:
        return self._send(
            "POST", f"/premium-requests/{number}/consent/", json={"agree": True, "reason": reason}
        )

    def withdraw(self, number: int, reason: str) -> dict[str, Any]:
        return self._send("POST", f"/premium-requests/{number}/withdraw/", json={"reason": reason})

    def wait_for(self, number: int, *states: str, seconds: int = 90) -> dict[str, Any]:
        """The request once its state is one of ``states``. Raises DoorFailed when that takes too long."""
        for _moment in range(seconds * 4):
            row = self.see(number)
            if row["state"] in states:
                return row
            time.sleep(0.25)
        raise DoorFailed(f"request {number} is {row['state']}, not {' or '.join(states)}, after {seconds} s")

    def wait_for_change(self, number: int, *states: str, seconds: int = 90) -> dict[str, Any]:
        """The newest change that carries out a request, once it is in one of ``states``."""
        for _moment in range(seconds * 4):
            for change in self._send("GET", f"/changes/?request={number}")["results"][:1]:
                if change["state"] in states:
                    return dict(change)
            time.sleep(0.25)
        raise DoorFailed(f"no change of request {number} became {' or '.join(states)} within {seconds} s")

    def _send(self, method: str, path: str, **options: Any) -> Any:
        answer = self._session.request(method, self._url + path, timeout=30, **options)
        if not answer.ok:
            raise DoorFailed(f"{method} {path} as {self.name}: {answer.status_code}\n{answer.text}")
        return answer.json()
