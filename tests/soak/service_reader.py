"""A fifth person who only reads: signs in to the site and opens its pages all the while, and notes every answer."""

from __future__ import annotations

import random
import re
import threading
import time

import requests

from tests.soak.service_clients import Answer, Record

LISTS = (
    "/",
    "/queue/",
    "/requests/",
    "/changes/",
    "/routers/",
    "/links/",
    "/nrens/",
    "/search/?q=N1",
    "/audit/",
)
_TARGET = re.compile(r'href="(/(?:requests|changes|pushes|routers|links|nrens|audit)/[^"?#]+/)"')
_NOT_READ = ("/admit/", "/refuse/", "/check/", "/new/")


class Reader:
    """Opens a list, then something it links to, then the next list."""

    def __init__(
        self, url: str, name: str, password: str, record: Record, over: threading.Event, seed: int
    ) -> None:
        self.url, self.name, self.password, self.record, self.over = url, name, password, record, over
        self.dice = random.Random(f"reader {seed}")
        self.session = requests.Session()

    def run(self) -> None:
        signed_in = False
        while not self.over.wait(self.dice.uniform(0.3, 1.5)):
            if not signed_in:
                signed_in = self._sign_in()
                continue
            text = self._open(self.dice.choice(LISTS))
            links = [each for each in _TARGET.findall(text) if not each.endswith(_NOT_READ)]
            if links and not self.over.is_set():
                self._open(self.dice.choice(links))

    def _sign_in(self) -> bool:
        self._open("/sign-in/")
        fields = {
            "username": self.name,
            "password": self.password,
            "csrfmiddlewaretoken": self.session.cookies.get("csrftoken") or "",
        }
        self._open("/sign-in/", fields)
        return "sessionid" in self.session.cookies

    def _open(self, path: str, fields: dict[str, str] | None = None) -> str:
        began, after = time.time(), False
        try:
            reply = self.session.request(
                "GET" if fields is None else "POST", self.url + path, data=fields, timeout=60
            )
            status, text, after = reply.status_code, reply.text, "Retry-After" in reply.headers
        except requests.RequestException as error:
            status, text = 0, repr(error)[:300]
        detail = "" if 0 < status < 400 else f"{path} {text[:200]}"
        self.record.add(Answer("page", "", status, began, time.time(), detail=detail, retry_after=after))
        return text if status == 200 else ""
