"""The NRENs' side: clients of the API over HTTP that ask, agree, take back and look, and note every answer they get."""

from __future__ import annotations

import json
import random
import threading
import time
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from typing import Any

import requests

from tests.soak.service_network import Link, Made

PATIENCE_SECONDS = 90.0
"""So long a client repeats what got no answer, or a 503: no fault lasts so long."""


@dataclass(frozen=True)
class Intention:
    """One request somebody will ask for: when (seconds after the start of the clock), and what becomes of it."""

    number: int
    source: Link
    destination: Link
    rate_bps: int
    at: float
    lead: float
    length: float | None
    both: bool
    again: bool
    agrees: bool
    withdrawn_after: float | None

    @property
    def key(self) -> str:
        return f"soak-{self.number}"

    @property
    def prefixes(self) -> tuple[str, str]:
        return self.source.prefix(self.number + 1), self.destination.prefix(self.number + 1)


def intentions(made: Made, *, count: int, seconds: float, seed: int) -> list[Intention]:
    """What is asked for during `seconds`; what ends at all begins and ends within them, where they are a minute or more."""
    dice = random.Random(f"requests {seed}")
    busy = dice.sample(made.links, max(2, len(made.links) // 8))
    found = []
    longest = max(12.0, min(180.0, seconds / 3))
    for number in range(count):
        length = dice.uniform(min(20.0, longest / 2), longest)
        lead = dice.choice((0.0, dice.uniform(2, 30), dice.uniform(5, min(60.0, seconds / 6))))
        at = dice.uniform(0, max(1.0, seconds - length - lead - 5))
        pool = busy if dice.random() < 0.3 else made.links
        source, destination = dice.sample(pool, 2)
        found.append(
            Intention(
                number=number,
                source=source,
                destination=destination,
                rate_bps=dice.choice((256_000, 512_000, 1_000_000, 2_000_000, 3_000_000)),
                at=at,
                lead=lead,
                length=None if dice.random() < 0.04 else length,
                both=dice.random() < 0.08,
                again=dice.random() < 0.2,
                agrees=dice.random() < 0.95,
                withdrawn_after=dice.uniform(1, length) if dice.random() < 0.15 else None,
            )
        )
    return sorted(found, key=lambda each: each.at)


@dataclass(frozen=True)
class Answer:
    """What came of one call: `status` 0 when the connection gave none, `detail` what was said then."""

    op: str
    key: str
    status: int
    began: float
    ended: float
    request: int | None = None
    state: str = ""
    detail: str = ""
    retry_after: bool = False


@dataclass
class Record:
    """Every answer of the run, in the order in which they came."""

    answers: list[Answer] = field(default_factory=list)
    _lock: threading.Lock = field(default_factory=threading.Lock, repr=False)

    def add(self, answer: Answer) -> None:
        with self._lock:
            self.answers.append(answer)


class Clients:
    """Threads that carry out intentions when their moment comes."""

    def __init__(
        self, url: str, tokens: dict[str, str], record: Record, over: threading.Event, seconds: float
    ) -> None:
        self.url = f"{url}/api/v1/premium-requests/"
        self.tokens, self.record, self.over, self.seconds = tokens, record, over, seconds
        self.begun: datetime = datetime.now(UTC)
        self.done = 0
        self._local = threading.local()

    def run(self, wanted: list[Intention], threads: int) -> list[threading.Thread]:
        """Start; each thread has its share of the intentions and ends after the last."""
        self.begun = datetime.now(UTC)
        started = []
        for number in range(threads):
            thread = threading.Thread(target=self._work, args=(wanted[number::threads],), daemon=True)
            thread.start()
            started.append(thread)
        return started

    def _work(self, wanted: list[Intention]) -> None:
        dice = random.Random(f"client {wanted[0].number if wanted else 0}")
        agenda: list[tuple[float, str, Intention, int]] = [(each.at, "ask", each, 0) for each in wanted]
        while agenda and not self.over.is_set():
            agenda.sort(key=lambda item: item[0])
            due, op, each, request = agenda.pop(0)
            self.over.wait(max(0.0, due - self._now()))
            if self.over.is_set():
                return
            if op == "ask":
                agenda += self._ask(each, dice)
                self.done += 1
            elif op == "agree":
                body = {"agree": each.agrees, "reason": f"{each.key} answered"}
                self._until_answered("consent", each, each.destination, f"{request}/consent/", body)
            elif op == "withdraw":
                body = {"reason": f"{each.key} not needed any more"}
                self._until_answered("withdraw", each, each.source, f"{request}/withdraw/", body)
            else:
                self._look(each, request)

    def _ask(self, each: Intention, dice: random.Random) -> list[tuple[float, str, Intention, int]]:
        start = datetime.now(UTC) + timedelta(seconds=each.lead)
        body: dict[str, Any] = {
            "source_link": each.source.name,
            "destination_link": each.destination.name,
            "rate_bps": each.rate_bps,
            "bucket_bytes": 15_000,
            "max_packet_bytes": 1500,
            "source_prefixes": [each.prefixes[0]],
            "destination_prefixes": [each.prefixes[1]],
            "contact": "noc@example.org",
            "reason": each.key,
            "direction": "both" if each.both else "one-way",
            "start": start.isoformat(),
        }
        if each.length is not None:
            body["end"] = (start + timedelta(seconds=each.length)).isoformat()
        answer = self._until_answered("submit", each, each.source, "", body)
        if each.again:
            self._until_answered("submit", each, each.source, "", body)
        if answer is None or answer.status != 201 or answer.request is None:
            return []
        now = self._now()
        later = [(now + dice.uniform(0, 5), "agree", each, answer.request)]
        looks = [min(now + dice.uniform(5, 120), self.seconds - 1) for _ in range(2)]
        later += [(at, "look", each, answer.request) for at in looks]
        if each.withdrawn_after is not None:
            later.append((now + each.withdrawn_after, "withdraw", each, answer.request))
        return later

    def _look(self, each: Intention, request: int) -> None:
        self._send("look", "", each.source, "GET", f"{request}/", None)

    def _until_answered(
        self, op: str, each: Intention, link: Link, path: str, body: dict[str, Any]
    ) -> Answer | None:
        """Say it under one key until an answer says what became of it; None when none came in time."""
        deadline, key = time.monotonic() + PATIENCE_SECONDS, f"{each.key}-{op}"
        while time.monotonic() < deadline and not self.over.is_set():
            answer = self._send(op, key, link, "POST", path, body)
            if answer.status not in (0, 503):
                return answer
            self.over.wait(random.uniform(0.3, 2.0))
        return None

    def _send(
        self, op: str, key: str, link: Link, method: str, path: str, body: dict[str, Any] | None
    ) -> Answer:
        headers = {"Authorization": f"Bearer {self.tokens[link.nren]}"}
        if key:
            headers["Idempotency-Key"] = key
        began = time.time()
        request, state, detail, after = None, "", "", False
        try:
            reply = self._session().request(method, self.url + path, headers=headers, json=body, timeout=60)
            status, after = reply.status_code, "Retry-After" in reply.headers
            try:
                said = reply.json()
                request, state = said.get("id"), str(said.get("state", ""))
                detail = "" if reply.ok else json.dumps(said)[:400]
            except ValueError:
                detail = reply.text[:400]
        except requests.RequestException as error:
            status, detail = 0, repr(error)[:300]
        answer = Answer(op, key, status, began, time.time(), request, state, detail, after)
        self.record.add(answer)
        return answer

    def _session(self) -> requests.Session:
        found: requests.Session | None = getattr(self._local, "session", None)
        if found is None:
            found = self._local.session = requests.Session()
        return found

    def _now(self) -> float:
        return (datetime.now(UTC) - self.begun).total_seconds()
