"""Rows that 0.1.0 wrote, taken to the newest schema: nothing is lost, and the service goes on with them."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import zipfile
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache
from pathlib import Path
from typing import Any

import psycopg
import pytest
from psycopg import sql

pytestmark = pytest.mark.once

ROOT = Path(__file__).resolve().parents[3]
ROWS = Path(__file__).parent / "schema_0_1_0" / "rows.zip"
NAME = "expedite_from_0_1_0"
# Tables of 0.1.0 that a later version has no more, with where their rows went. Empty: none went.
WENT: dict[str, str] = {}
# A plan that was not sent may be put aside by an upgrade; what was sent, or is being sent, is never told otherwise.
UNSENT = {"PLANNED", "APPROVED"}
PUT_ASIDE = UNSENT | {"STALE", "CANCELLED"}


@contextmanager
def empty_database(vendor: str, directory: Path) -> Iterator[str]:
    """The DATABASE_URL of a database without tables."""
    if vendor == "sqlite":
        yield f"sqlite:///{directory / 'from_0_1_0.sqlite3'}"
        return
    server = os.environ.get("DATABASE_URL", "")
    if not server.startswith("postgres"):
        pytest.skip("needs PostgreSQL: `make test` runs it there")
    name = sql.Identifier(f"{NAME}_{os.getpid()}")
    with psycopg.connect(server, autocommit=True) as connection:
        connection.execute(sql.SQL("CREATE DATABASE {}").format(name))
        try:
            yield f"{server.rpartition('/')[0]}/{NAME}_{os.getpid()}"
        finally:
            connection.execute(sql.SQL("DROP DATABASE {} WITH (FORCE)").format(name))


@cache
def then() -> dict[str, list[dict[str, Any]]]:
    """The rows as 0.1.0 wrote them, by table."""
    found = {}
    with zipfile.ZipFile(ROWS) as archive:
        for table in json.loads(archive.read("manifest.json"))["tables"]:
            columns = [name for name, _ in table["columns"]]
            lines = archive.read(f"rows/{table['name']}.jsonl").splitlines()
            found[table["name"]] = [dict(zip(columns, json.loads(line), strict=True)) for line in lines]
    return found


@pytest.fixture(scope="module", params=["sqlite", "postgresql"])
def now(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    """What a process of today found in that database after it was migrated."""
    directory = tmp_path_factory.mktemp("from_0_1_0")
    with empty_database(request.param, directory) as url:
        done = subprocess.run(
            [sys.executable, "-m", "tests.services.years.from_0_1_0"],
            cwd=ROOT,
            env={**os.environ, "DATABASE_URL": url, "STATE_DIR": str(directory)},
            capture_output=True,
            text=True,
            timeout=300,
            check=False,
        )
    assert done.returncode == 0, done.stderr[-5000:]
    found: dict[str, Any] = json.loads(done.stdout)
    broken = [
        f"{step}:\n{said['broken']}"
        for step, said in found.items()
        if isinstance(said, dict) and "broken" in said
    ]
    assert not broken, "\n".join(broken)
    return found


def test_the_rows_of_then_hold_something_of_everything() -> None:
    rows = then()
    assert {row["state"] for row in rows["provisioning_premiumrequest"]} == {
        "SUBMITTED", "HELD", "ADMITTED", "REFUSED", "ACTIVE", "WITHDRAWN", "EXPIRED", "COMPLETED"
    }  # fmt: skip
    assert {row["state"] for row in rows["provisioning_routerpush"]} >= {
        "PLANNED", "APPROVED", "PUSHING", "VERIFIED", "ROLLED_BACK", "STALE", "CANCELLED"
    }  # fmt: skip
    assert {row["state"] for row in rows["provisioning_job"]} == {"queued", "leased", "done", "failed"}
    assert all(rows.values()) is False  # some tables are empty, as in any database
    for name in (
        "adoptedname",
        "apitoken",
        "idempotencykey",
        "flowlabeluse",
        "ownership",
        "transcript",
        "auditevent",
    ):
        assert rows[f"provisioning_{name}"], name


def test_no_row_is_lost(now: dict[str, Any]) -> None:
    written = {name: len(rows) for name, rows in then().items() if name not in WENT}
    assert now["counts"].keys() >= written.keys()
    fewer = {
        name: (count, now["counts"][name]) for name, count in written.items() if now["counts"][name] < count
    }
    assert fewer == {}


def test_requests_and_charges_say_what_they_said(now: dict[str, Any]) -> None:
    assert now["values"]["requests"] == {
        str(row["id"]): [
            row[name] for name in ("state", "rate_bps", "source_prefixes", "flow_label", "consent")
        ]
        for row in then()["provisioning_premiumrequest"]
    }
    assert now["values"]["charged"] == sorted(
        [row["link"], row["direction"], row["pool"], row["rate_bps"], row["released_at"] is None]
        for row in then()["provisioning_ledgerentry"]
    )
    (token,) = then()["provisioning_apitoken"]
    assert now["values"]["token"] == [token["prefix"], token["digest"]]
    assert now["values"]["passwords"] == [True] * 3


def test_pushes_say_what_they_said_and_nothing_sent_is_told_otherwise(now: dict[str, Any]) -> None:
    routers = {row["id"]: row["name"] for row in then()["inventory_router"]}
    rows = then()["provisioning_routerpush"]
    assert now["values"]["pushes"] == {
        str(row["id"]): [
            row["change_id"], routers[row["router_id"]], row["phase"], row["line"], row["lines"], row["fingerprint"]
        ]
        for row in rows
    }  # fmt: skip
    states = now["values"]["states"]
    for row in rows:
        allowed = PUT_ASIDE if row["state"] in UNSENT else {row["state"]}
        assert states[str(row["id"])] in allowed
    assert now["values"]["approved"] == {
        str(row["id"]): row["approved_by_id"] for row in then()["provisioning_change"]
    }


def test_a_push_half_way_can_be_gone_on_with_or_taken_back(now: dict[str, Any]) -> None:
    half = now["half way"]
    assert (half["line"], half["commands"], half["before"]) == (12, 24, True)
    assert half["state"] in {"PUSHING", "UNKNOWN"}
    assert half["undo"] > 0
    assert now["recover"] == 1
    assert now["values"]["leases"]["gr6"][0] == "a worker that dies"


def test_the_trail_is_unbroken_and_the_service_answers(now: dict[str, Any]) -> None:
    assert now["trail"] is True
    assert now["trail holds"] >= len(then()["provisioning_auditevent"])
    assert len(now["pages"]) > 60
    assert {path: status for path, status in now["pages"].items() if status not in (200, 302)} == {}
    assert now["prune"] == [""] * len(now["prune"])
    assert now["backup"] > 500
