"""Questions: whatever a client writes into any part of one, it is answered with no fault, no header more, and no other page."""

from __future__ import annotations

import json
import random
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from importlib import import_module
from typing import Any

import pytest
from django.core.cache import cache
from django.db import connection, transaction
from django.test import Client

from provisioning.services import tokens
from tests.fuzz.asking import PATHS, QUERIES, question, sent
from tests.fuzz.reading import header_faults, unlike
from tests.fuzz.values import SEED, Drawn, harmless
from tests.web.world import World

As = Callable[[str], Client]


def faults(answer: Any) -> str:
    """What is wrong with an answer by itself; empty where nothing is."""
    if answer.status_code >= 500:
        return f"{answer.status_code}"
    if wrong := header_faults(answer.headers):
        return str(wrong)
    body = b"".join(answer.streaming_content) if answer.streaming else answer.content
    kind = answer.headers.get("Content-Type", "")
    if not body:
        return ""
    if not kind:
        return "no Content-Type"
    if kind.startswith("text/") and "charset" not in kind:
        return f"no charset: {kind}"
    if "json" in kind:
        try:
            json.loads(body.decode())
        except ValueError as error:
            return f"not JSON: {error}"
    return ""


@contextmanager
def undone() -> Iterator[None]:
    """Whatever is done in it is taken back: every question meets the same rows."""
    with transaction.atomic():
        yield
        transaction.set_rollback(True)


def tried(world: World, as_user: As, drawn: Drawn, count: int) -> None:
    """Ask so many questions; fails at the first wrong answer."""
    draw = random.Random(drawn.seed)
    known = {"planned": world.changes["planned"].pk, "decision": world.requests["decision"].pk}
    nora = as_user("nora")
    nora.raise_request_exception = False
    text = tokens.issue(actor=world.actor("nora"), user=world.users["nora"], nren=None, name="t")[1]
    stranger = Client(raise_request_exception=False)
    for number, value in enumerate(drawn.some(count)):
        asked = question(draw, known)
        who = stranger if asked.said.startswith("/sign-in/") or draw.random() < 0.1 else nora
        with undone():
            answer = asked.ask(who, value, text)
        where = (f"FUZZ_SEED={drawn.seed}", f"value {number}", asked.said, value[:300])
        assert not (wrong := faults(answer)), (*where, wrong)
        drawn.count(str(answer.status_code))
        if answer.headers.get("Content-Type", "").startswith("text/html") and not answer.streaming:
            with undone():
                plain = asked.ask(who, harmless(value) or "x", text)
            # What a door makes of a value may be another page; where it is the same one it has one structure.
            if plain.status_code == answer.status_code and (_fits(plain) == _fits(answer)):
                assert not (found := unlike(answer.content, plain.content)), (*where, found)
                drawn.count("compared")
        if number % 50 == 0:
            cache.clear()  # who guesses so often is given a rest


def _fits(answer: Any) -> tuple[int, ...]:
    """How often a page says that something is wrong, or found: with other numbers of these it is another page."""
    return tuple(
        answer.content.count(word)
        for word in (b'class="errors', b"aria-invalid", b"<tr", b"<li", b"field-error", b"<p", b"<option")
    )


def test_any_question_is_answered(world: World, as_user: As) -> None:
    drawn = Drawn(SEED)
    tried(world, as_user, drawn, 36)
    assert drawn.tried["compared"] > 3, drawn.tried


def test_no_address_with_a_nul_is_a_fault(world: World, as_user: As) -> None:
    # PostgreSQL takes none in a text: whoever asks it for one without looking has an error of the database.
    nora, wrong = as_user("nora"), []
    nora.raise_request_exception = False
    asked = [path.format(sent("nl6\0")) for path in PATHS if "static" not in path]
    asked += [
        f"{url}?{name}={sent(chr(0))}" for url, names in QUERIES.items() if "api" not in url for name in names
    ]
    for url in asked:
        with undone():
            if faults(nora.get(url)):
                wrong.append(url)
    with undone():
        if faults(
            Client(raise_request_exception=False).get(
                "/queue/", headers={"Cookie": r'sessionid="\000aaaaaaaaa"'}
            )
        ):
            wrong.append("a cookie")
    assert wrong == []


def test_a_session_is_named_by_letters_and_digits_alone(settings: Any) -> None:
    store = import_module(settings.SESSION_ENGINE).SessionStore
    for key in ("\0" + "a" * 31, "a" * 31 + "\n", "é" * 32, "a-b" * 10):
        assert store(key).session_key is None, repr(key)
    assert store("a1" * 16).session_key == "a1" * 16


@pytest.mark.deep
def test_questions_deeply(world: World, as_user: As) -> None:
    drawn = Drawn(SEED)
    tried(world, as_user, drawn, 10_000)
    print(f"questions: seed {drawn.seed}, {drawn.tried}; {connection.vendor}")
