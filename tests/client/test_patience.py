"""A server that is away for a while: `watch` and `events --follow` ask again until their patience is over, and say so."""

from __future__ import annotations

import json
import socket
from http.server import BaseHTTPRequestHandler
from pathlib import Path
from typing import Any

import pytest

from expedite_client import BadCertificate, NotUnderstood, Problem, Unreachable
from expedite_client.errors import ClientError
from expedite_client.resources.events import EventLog
from expedite_client.transport import Transport
from expedite_client.trying import Trying
from tests.client.broken import Stand, answer_with, serving
from tests.client.conftest import Terminal

JSON = {"Content-Type": "application/json"}
HTML = {"Content-Type": "text/html"}


class Away:
    """Answers about one request, and for some of the questions does what a proxy does whose server is away."""

    def __init__(self, *ways: int | None) -> None:
        self.ways = list(ways)
        self.stages = ["SCHEDULED", "ACTIVE"]
        self.asked = 0

    def carry(self, handler: BaseHTTPRequestHandler) -> None:
        self.asked += 1
        way = self.ways.pop(0) if self.ways else 200
        if way is None:  # reset
            handler.connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, b"\1\0\0\0\0\0\0\0")
            handler.close_connection = True
            handler.connection.close()
        elif way != 200:
            answer_with(handler, way, b"<html>away</html>", HTML)
        elif "/events/" in handler.path:
            answer_with(
                handler,
                200,
                json.dumps({"events": [], "next": 4, "more": False, "end": 4}).encode(),
                JSON,
            )
        else:
            stage = self.stages.pop(0) if len(self.stages) > 1 else self.stages[0]
            row = {
                "id": 7, "reference": "PIP-7", "state": "ADMITTED", "stage": stage, "waits_for": None, "final": False,
            }  # fmt: skip
            answer_with(handler, 200, json.dumps(row).encode(), JSON)


@pytest.mark.parametrize("way", [502, 503, 504, 429, None])
def test_watch_survives_a_server_that_is_away(way: int | None, tmp_path: Path) -> None:
    """Away at the beginning, in the middle of waiting, and when the request is looked at."""
    server = Away(way, way, 200, way, way, 200, way, way, 200)
    with serving(server.carry) as url:
        done = Terminal(url, "exp_a_b", tmp_path).alone("watch", "7", "--look", "1")
    assert "SCHEDULED" in done.out and "ACTIVE" in done.out
    assert done.err.count("asked again in") == 6, done.err  # each time, and not after some


def test_without_patience_it_is_asked_once(tmp_path: Path) -> None:
    server = Away(*[503] * 9)
    with serving(server.carry) as url:
        done = Terminal(url, "exp_a_b", tmp_path).alone("watch", "7", "--patience", "0", code=5)
    assert server.asked == 1 and "asked again" not in done.err and "503" in done.err


def test_a_server_that_says_when_is_asked_then(tmp_path: Path) -> None:
    """Also where it says so for longer than one question waits by itself; beyond the patience nobody waits."""
    now, read = clock()
    told: list[float] = []
    stand = Stand([(503, b"", {"Retry-After": "40"}), (429, b"{}", {**JSON, "Retry-After": "3600"})])

    def sleep(seconds: float) -> None:
        now[0] += seconds

    with serving(stand.carry) as url:
        log = EventLog(Transport(url, "exp_a_b", sleep=sleep), sleep=sleep, clock=read)
        with pytest.raises(Problem) as gone:
            next(log.follow(patience_seconds=300, lost=lambda _error, pause: told.append(pause)))
    assert told == [40.0] and now[0] == 40 and len(stand.asked) == 2
    assert gone.value.retry_after == 3600


def test_watch_gives_up_when_its_patience_is_over(tmp_path: Path) -> None:
    server = Away(*[503] * 1000)
    with serving(server.carry) as url:
        done = Terminal(url, "exp_a_b", tmp_path).alone("watch", "7", "--patience", "6", code=5)
    assert "asked again in" in done.err and "503" in done.err.splitlines()[-1]


def test_watch_does_not_wait_for_what_does_not_pass(tmp_path: Path) -> None:
    with serving(Away(401).carry) as url:
        done = Terminal(url, "exp_a_b", tmp_path)("watch", "7", code=3)
    assert "asked again" not in done.err


def clock() -> Any:
    now = [0.0]
    return now, lambda: now[0]


def test_each_pause_is_longer_up_to_half_a_minute_and_none_beyond_the_patience() -> None:
    now, read = clock()
    told: list[tuple[str, float]] = []

    def sleep(seconds: float) -> None:
        now[0] += seconds

    def ask() -> None:
        now[0] += 1
        raise Problem(503, {})

    trying = Trying(100, lost=lambda error, pause: told.append((error.code, pause)), sleep=sleep, clock=read)
    with pytest.raises(Problem):
        trying(ask)
    assert [pause for _code, pause in told] == [1, 2, 4, 8, 16, 30, 30, 1]
    assert now[0] < 102
    # Patience begins anew whenever there was an answer.
    assert trying(lambda: "there") == "there"


@pytest.mark.parametrize(
    ("error", "tried"),
    [
        (Problem(503, {}), 2), (Problem(500, {}), 2), (Problem(429, {}), 2), (Unreachable("reset"), 2),
        (NotUnderstood("<html>"), 2), (BadCertificate("forged"), 1), (Problem(404, {}), 1), (Problem(409, {}), 1),
    ],
)  # fmt: skip
def test_what_may_pass_is_asked_again(error: ClientError, tried: int) -> None:
    asked: list[int] = []

    def ask() -> str:
        asked.append(1)
        if len(asked) == 1:
            raise error
        return "there"

    trying = Trying(60, sleep=lambda _seconds: None)
    if tried == 1:
        with pytest.raises(type(error)):
            trying(ask)
    else:
        assert trying(ask) == "there"
    assert len(asked) == tried


def test_the_log_is_followed_while_the_server_is_away(tmp_path: Path) -> None:
    server = Away(502, 502, 401)
    with serving(server.carry) as url:
        done = Terminal(url, "exp_a_b", tmp_path).alone("events", "--follow", code=3)
    assert done.err.count("asked again in") == 2
