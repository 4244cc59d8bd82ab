"""Doors: what is taken is kept and told again as it was written, and holds nothing that nobody sees; the rest is refused by its
field. So what a page shows of a value that got in is its text.
"""

from __future__ import annotations

import csv
import io
import json
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from django.conf import settings
from django.db import connection, transaction

from inventory.readers.spreadsheets import defused
from provisioning.web.sheets import Sheet, answer
from tests.api.conftest import Speaker, asked
from tests.fuzz.reading import steering
from tests.fuzz.values import PIECES, SEED, Drawn, storable

Body = Callable[[str], dict[str, Any]]
HOOK = {"channel": "webhook", "secret": "a-secret-of-the-receiver"}
# Who asks, where, what, and the field that has the value.
DOORS: dict[str, tuple[str, str, Body, str]] = {
    "contact": ("JANET", "/api/v1/premium-requests/", lambda said: asked(contact=said), "contact"),
    "reason": ("JANET", "/api/v1/premium-requests/", lambda said: asked(reason=said), "reason"),
    "name of a token": ("JANET", "/api/v1/tokens/", lambda said: {"name": said}, "name"),
    "address of mail": (
        "noc",
        "/api/v1/subscribers/",
        lambda said: {"channel": "mail", "address": said},
        "address",
    ),
    "domain of mail": (
        "noc",
        "/api/v1/subscribers/",
        lambda said: {"channel": "mail", "address": f"noc@{said}.net"},
        "address",
    ),
    "webhook": (
        "noc",
        "/api/v1/subscribers/",
        lambda said: HOOK | {"url": f"https://e.net/{said}"},
        "url",
    ),
    "host of a webhook": (
        "noc",
        "/api/v1/subscribers/",
        lambda said: HOOK | {"url": f"https://{said}/"},
        "url",
    ),
}
MANY_LINES = {"reason"}


class Undone(Exception):
    """Takes a deed back."""


def tried(
    speakers: dict[str, Speaker], drawn: Drawn, values: list[str], doors: tuple[str, ...] = tuple(DOORS)
) -> None:
    """Bring each value to a door by turns; fails where what is taken is not what was sent, or is not to be seen."""
    for number, value in enumerate(values):
        name = doors[number % len(doors)]
        who, url, body, column = DOORS[name]
        where = (f"FUZZ_SEED={drawn.seed}", name, value[:300])
        answer, told = _sent(speakers[who], url, body(value))
        assert answer["status"] in (201, 400, 409, 422), (*where, answer)
        if answer["status"] != 201:
            if answer["status"] != 409:
                assert answer["errors"][0]["pointer"] == f"#/{column}", (*where, answer)
            drawn.count(f"{name}: refused")
            continue
        drawn.count(f"{name}: taken")
        kept = told.get(column, "")
        assert not steering(kept), (*where, kept)
        assert name in MANY_LINES or len(kept.splitlines()) <= 1, (*where, kept)
        if column in ("contact", "reason", "name") and name not in MANY_LINES:
            assert kept == value.strip(), (*where, kept)


def _sent(speaker: Speaker, url: str, body: dict[str, Any]) -> tuple[dict[str, Any], dict[str, Any]]:
    """The answer with its status, and what is read of the row afterwards; nothing of it is left."""
    found: tuple[dict[str, Any], dict[str, Any]] = ({}, {})
    try:
        with transaction.atomic():
            answer = speaker.send("POST", url, body)
            said = json.loads(answer.content)
            told = speaker.get(f"{url}{said['id']}/") if answer.status_code == 201 else {}
            found = ({**said, "status": answer.status_code}, told)
            raise Undone
    except Undone:
        return found


def test_what_is_taken_is_told_as_it_was_written(speakers: dict[str, Speaker]) -> None:
    drawn = Drawn(SEED)
    tried(speakers, drawn, [drawn.one() for _ in range(21)])
    assert any("taken" in name for name in drawn.tried) and any("refused" in name for name in drawn.tried)


@pytest.mark.parametrize("kind", ("control", "nul", "direction", "unseen", "surrogate"))
def test_what_nobody_sees_is_refused_at_every_door(speakers: dict[str, Speaker], kind: str) -> None:
    drawn = Drawn(SEED)
    values = [f"a{piece}b" for piece in PIECES[kind] if not piece.isprintable() and piece not in "\t\n\r"][
        ::4
    ]
    tried(speakers, drawn, values, ("contact", "reason", "name of a token"))
    assert not any("taken" in name for name in drawn.tried), drawn.tried


@pytest.mark.parametrize("kind", ("markup", "attribute", "script", "template", "formula", "shell", "query"))
def test_what_is_only_text_is_taken_as_text(speakers: dict[str, Speaker], kind: str) -> None:
    drawn = Drawn(SEED)
    values = [f"a{piece}b" for piece in PIECES[kind] if piece.isprintable()][:5]
    tried(speakers, drawn, values, ("name of a token",))
    assert drawn.tried == {"name of a token: taken": len(values)}


def test_two_rooms_alone_write_what_a_spreadsheet_opens() -> None:
    # It takes the life out of each cell (below): a `=` in front of a value is a formula there.
    root = Path(settings.BASE_DIR)
    texts = {
        str(path.relative_to(root)): path.read_text()
        for folder in ("provisioning", "inventory", "client/src")
        for path in (root / folder).rglob("*.py")
    }
    loading = re.compile(
        r"^\s*(?:import|from) (?:csv|openpyxl|xlsxwriter|xlwt|odf|pandas|tablib)\b", re.MULTILINE
    )
    assert len(texts) > 500
    # Pages and the inventory's tables; both by what `inventory.readers.spreadsheets` makes of a cell.
    writing = {"inventory/readers/tables.py", "provisioning/web/sheets.py"}
    assert {name for name, text in texts.items() if loading.search(text)} == writing
    assert all("inventory.readers.spreadsheets" in texts[name] for name in writing)


def test_no_cell_of_a_file_is_a_formula() -> None:
    drawn = Drawn(SEED)
    texts = [storable(drawn.one()) for _ in range(2_000)]
    sheet = Sheet("hostile", {"said": lambda text: text, "also": lambda text: [text]})
    written = b"".join(answer(sheet, "csv", texts)).decode()
    rows = list(csv.reader(io.StringIO(written, newline="")))[1:]
    assert len(rows) == len(texts)
    assert not [
        cell for row in rows for cell in row if cell.startswith(("=", "+", "-", "@", "\t", "\r", "\n"))
    ]
    assert [row[0].replace("'", "") for row in rows] == [text.replace("'", "") for text in texts]
    # A spreadsheet of a country where a semicolon ends a cell.
    pieces = [piece for text in texts for piece in re.split(r"[;\t\r\n]", defused(text))]
    assert not [piece for piece in pieces if piece.startswith(("=", "+", "-", "@"))]


@pytest.mark.deep
def test_doors_deeply(speakers: dict[str, Speaker]) -> None:
    drawn = Drawn(SEED)
    tried(speakers, drawn, [storable(drawn.one()) for _ in range(2_000)])
    print(f"doors: seed {drawn.seed}, {drawn.tried}; {connection.vendor}")
