"""A backup of a service at work, restored into an empty database and into one that is replaced; what is refused."""

from __future__ import annotations

import io
import json
import sqlite3
import stat
import zipfile
from collections.abc import Callable
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
from django.core.management import call_command
from django.core.management.base import CommandError
from django.db import connection
from django.utils import timezone

from inventory.models import Router
from provisioning.errors import Conflict, InvalidInput, PushDisabled, StaleState
from provisioning.models import (
    AuditEvent,
    Change,
    Credential,
    Job,
    JobKind,
    JobState,
    PremiumRequest,
    RouterLease,
    RouterPush,
    RouterSync,
)
from provisioning.pipeline.states import PushState
from provisioning.services import audit, backups, changes, jobs, leases, pushing
from provisioning.services.backups import values
from tests.web.world import World, build_world

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.one_transaction]


@pytest.fixture
def world(transactional_db: None) -> World:
    made = build_world()
    router = Router.objects.get(name="uk6")
    Credential.objects.create(router=router, username="noc", password="first-secret", enable="second-secret")
    leases.acquire(router=router, owner="a worker of the original")
    Job.objects.create(kind=JobKind.PUSH, subject_id=1, state=JobState.LEASED, available_at=timezone.now())
    return made


def everything() -> dict[str, list[Any]]:
    """Every row of every table as it is stored, by another way than the backup's: column by column as text."""
    from provisioning.services.backups.writing import tables

    found = {}
    for model in tables():
        with connection.cursor() as cursor:
            cursor.execute(f'SELECT * FROM "{model._meta.db_table}"')
            found[model._meta.db_table] = sorted(map(str, cursor.fetchall()))
    return found


def emptied() -> None:
    call_command("flush", interactive=False, verbosity=0)


def say(*arguments: str) -> str:
    out = io.StringIO()
    call_command(*arguments, stdout=out, stderr=out)
    return out.getvalue()


def test_everything_comes_back_and_nothing_begins_to_push(world: World, tmp_path: Path) -> None:
    file = tmp_path / "backup.zip"
    epoch = RouterLease.objects.get().epoch
    before = everything()
    said = say("backup", str(file))
    assert everything() == before  # reading is all it does
    assert stat.S_IMODE(file.stat().st_mode) == 0o600
    position, digest = audit.head()
    assert f"event {position}, {digest}" in said
    assert b"first-secret" not in zipfile.ZipFile(file).read("rows/provisioning_credential.jsonl")

    emptied()
    assert not PremiumRequest.objects.exists()
    said = say("restore", str(file))
    assert "The service answers" in said
    after = everything()
    touched = {
        "provisioning_auditevent",  # says that it was restored
        # SQLite seals at once; elsewhere an event waits for the next tick.
        *(
            {"provisioning_audithead", "provisioning_auditseal"}
            if connection.vendor == "sqlite"
            else {"provisioning_auditwaiting"}
        ),
        "provisioning_auditsubject",
        "provisioning_installation",
        "provisioning_job",
        "provisioning_notification",  # a push whose state is not known any more is told of once this copy may
        "provisioning_routerlease",
        "provisioning_routerpush",
        "provisioning_routersync",
    }
    assert {name for name in before if before[name] != after[name]} == touched
    assert Credential.objects.get().password == "first-secret"
    assert set(before["provisioning_auditevent"]) < set(after["provisioning_auditevent"])
    assert audit.verify_chain().intact

    pushed = RouterPush.objects.get(pk=world.pushes["pushing"].pk)
    assert (pushed.state, pushed.error_code, pushed.line) == (PushState.UNKNOWN, "unrecognised", 6)
    lease = RouterLease.objects.get()
    assert (lease.owner, lease.until) == ("", None) and lease.epoch > epoch
    assert not Job.objects.filter(state__in=(JobState.QUEUED, JobState.LEASED)).exists()
    assert set(RouterSync.objects.values_list("state", flat=True)) == {"unknown"}

    approved = Change.objects.get(pk=world.changes["approved"].pk)
    with pytest.raises(PushDisabled, match="restored copy"):
        changes.release(actor=world.actor("nora"), change=approved)
    with pytest.raises(PushDisabled, match="restored copy"):
        pushing.push(router_push_id=world.pushes["approved"].pk, worker="w")
    made = {job.kind for job in jobs.tick()}
    assert not made & {JobKind.PUSH, JobKind.PREFLIGHT, JobKind.RECOVER}

    with pytest.raises(CommandError, match="Only an approver of the NOC"):
        say("restore", "--resume", "--as", "jane")
    assert "no longer held" in say("restore", "--resume", "--as", "nora", "--reason", "the old one is off")
    with pytest.raises(
        StaleState, match="was not approved"
    ):  # the next question, of what is approved, is asked again
        changes.release(actor=world.actor("nora"), change=approved)
    assert AuditEvent.objects.filter(action="installation.resume").exists()
    assert audit.verify_chain().intact


def test_new_rows_get_keys_of_their_own_after_a_restore(world: World, tmp_path: Path) -> None:
    file = tmp_path / "backup.zip"
    last = max(RouterPush.objects.values_list("pk", flat=True))
    backups.backup(path=file)
    say("restore", str(file), "--replace")
    assert Job.objects.create(kind=JobKind.PRUNE, subject_id=0, available_at=timezone.now()).pk > 1
    world.changes["more"] = Change.objects.create(kind="repair", title="more", scheme="6net")
    made = RouterPush.objects.create(
        change=world.changes["more"], router=Router.objects.first(), phase="edge", position=1
    )
    assert made.pk > last


def test_a_database_with_rows_is_replaced_only_when_told(world: World, tmp_path: Path) -> None:
    file = tmp_path / "backup.zip"
    backups.backup(path=file)
    Change.objects.create(kind="repair", title="made after the backup", scheme="6net")
    before = everything()
    with pytest.raises(Conflict, match=r"has rows already .*provisioning_change.*--replace"):
        backups.restore(actor=world.actor("nora"), path=file)
    assert everything() == before
    done = backups.restore(actor=world.actor("nora"), path=file, replace=True)
    assert done.faults == ()
    assert not Change.objects.filter(title="made after the backup").exists()


def test_a_backup_does_not_overwrite_a_file(world: World, tmp_path: Path) -> None:
    file = tmp_path / "backup.zip"
    file.write_text("precious")
    with pytest.raises(InvalidInput, match="exists already"):
        backups.backup(path=file)
    with pytest.raises(InvalidInput, match="cannot be written"):
        backups.backup(path=tmp_path / "nowhere" / "backup.zip")
    assert file.read_text() == "precious"
    assert list(tmp_path.iterdir()) == [file]


def _cut(file: Path) -> None:
    file.write_bytes(file.read_bytes()[:-2000])


def _damaged(file: Path) -> None:
    data = bytearray(file.read_bytes())
    middle = len(data) // 2
    for at in range(middle, middle + 64):  # one byte alone may be one that says nothing
        data[at] ^= 0x55
    file.write_bytes(bytes(data))


def _rewritten(file: Path, change: Callable[[str, bytes], bytes | None]) -> None:
    with zipfile.ZipFile(file) as old:
        members = {name: old.read(name) for name in old.namelist()}
    with zipfile.ZipFile(file, "w") as new:
        for name, data in members.items():
            if (made := change(name, data)) is not None:
                new.writestr(name, made)


def _edited(file: Path) -> None:
    def edit(name: str, data: bytes) -> bytes:
        return data.replace(b"JANET", b"JANOT") if name == "rows/inventory_nren.jsonl" else data

    _rewritten(file, edit)


def _without_a_table(file: Path) -> None:
    _rewritten(file, lambda name, data: None if name == "rows/provisioning_change.jsonl" else data)


def _manifest_with(**fields: Any) -> Callable[[Path], None]:
    def edit(name: str, data: bytes) -> bytes:
        return json.dumps(json.loads(data) | fields).encode() if name == "manifest.json" else data

    return lambda file: _rewritten(file, edit)


def _newer(file: Path) -> None:
    def edit(name: str, data: bytes) -> bytes:
        if name != "manifest.json":
            return data
        said = json.loads(data)
        said["migrations"].append(["provisioning", "9999_tomorrow"])
        return json.dumps(said).encode()

    _rewritten(file, edit)


SPOILT: tuple[tuple[Callable[[Path], object], str], ...] = (
    (_cut, "not a whole backup"),
    (_damaged, "not a whole backup|not those that were written"),
    (_edited, "rows of inventory_nren are not those that were written"),
    (_without_a_table, "rows of provisioning_change are missing"),
    (_manifest_with(format=2), "has format 2; this version reads format 1"),
    (_newer, "newer version than this one .*provisioning.9999_tomorrow"),
    (lambda file: file.write_text("hello"), "not a whole backup"),
    (
        lambda file: _rewritten(file, lambda name, data: data if name != "manifest.json" else None),
        "no backup",
    ),
    (
        lambda file: _rewritten(file, lambda name, data: data if name != "manifest.json" else b"[]"),
        "no backup",
    ),
    (lambda file: file.unlink(), "there is no file"),
)


def test_a_file_that_is_not_what_was_written_is_refused_before_anything_is_touched(
    world: World, tmp_path: Path
) -> None:
    file = tmp_path / "backup.zip"
    backups.backup(path=file)
    whole, before = file.read_bytes(), everything()
    for spoil, sentence in SPOILT:
        file.write_bytes(whole)
        spoil(file)
        with pytest.raises(CommandError, match=sentence) as refused:
            say("restore", str(file), "--replace")
        assert refused.value.returncode == 2
        assert everything() == before


def test_another_digest_than_the_one_noted_is_refused(world: World, tmp_path: Path) -> None:
    file = tmp_path / "backup.zip"
    made = backups.backup(path=file)
    with pytest.raises(backups.BadBackup, match=f"is {made.digest}, not the one given"):
        backups.restore(actor=world.actor("nora"), path=file, replace=True, digest="0" * 64)
    assert say("restore", str(file), "--replace", "--digest", made.digest)


def test_a_restore_that_breaks_off_leaves_everything_as_it_was(
    world: World, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = tmp_path / "backup.zip"
    backups.backup(path=file)
    before = everything()

    def full(value: Any) -> Any:
        raise RuntimeError("the disk is full")

    monkeypatch.setitem(values.IN, "json", full)
    with pytest.raises(RuntimeError):
        backups.restore(actor=world.actor("nora"), path=file, replace=True)
    assert everything() == before


def test_credentials_of_other_keys_are_told(world: World, tmp_path: Path, settings: Any) -> None:
    file = tmp_path / "backup.zip"
    backups.backup(path=file)
    settings.CREDENTIAL_KEYS = ["MDAwMDAwMDAwMDAwMDAwMDAwMDAwMDAwMDAwMDAwMDA="]
    assert "1 of 1 router credentials cannot be read with CREDENTIAL_KEYS" in say(
        "restore", str(file), "--replace"
    )


def test_a_trail_that_was_cut_before_the_backup_head_is_told(
    world: World, tampering: None, tmp_path: Path
) -> None:
    file = tmp_path / "backup.zip"
    audit.seal_waiting()
    third = AuditEvent.objects.order_by("pk").values_list("pk", flat=True)[2]
    assert AuditEvent.objects.filter(pk=third).delete()[0]
    backups.backup(path=file)
    with pytest.raises(CommandError, match="restored, but"):
        say("restore", str(file), "--replace")


def test_a_backup_shows_one_moment_while_others_write(world: World, tmp_path: Path, monkeypatch: Any) -> None:
    """A change that is written while the tables are being read is in none of them, and its writer does not wait."""
    import threading

    from django.db import connections

    from provisioning.services.backups import writing

    wrote = []

    def write() -> None:
        change = Change.objects.create(kind="repair", title="meanwhile", scheme="6net")
        RouterPush.objects.create(change=change, router=Router.objects.first(), phase="edge", position=1)
        wrote.append(change.pk)
        connections.close_all()

    plain = writing._table

    def slow(archive: Any, model: Any, cursor: Any) -> Any:
        if model is Change:
            thread = threading.Thread(target=write)
            thread.start()
            thread.join(timeout=20)
        return plain(archive, model, cursor)

    monkeypatch.setattr(writing, "_table", slow)
    file = tmp_path / "backup.zip"
    backups.backup(path=file)
    assert wrote, "the writer had to wait for the backup"
    with backups.opened(file) as (archive, _):
        assert b"meanwhile" not in archive.read("rows/provisioning_change.jsonl")
        rows = archive.read("rows/provisioning_routerpush.jsonl").decode().splitlines()
    assert len(rows) == RouterPush.objects.count() - 1


def test_an_sqlite_backup_is_restored_where_there_is_no_table_yet(world: World, tmp_path: Path) -> None:
    """By the command, in a process of its own, into a new SQLite file: as after the loss of a machine."""
    import os
    import subprocess
    import sys

    file = tmp_path / "backup.zip"
    requests = PremiumRequest.objects.count()
    backups.backup(path=file)
    fresh = tmp_path / "fresh.sqlite3"
    done = subprocess.run(
        [sys.executable, "manage.py", "restore", str(file)],
        env={**os.environ, "DATABASE_URL": f"sqlite:///{fresh}", "DJANGO_SETTINGS_MODULE": "tests.settings"},
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    assert "The service answers" in done.stdout
    with sqlite3.connect(fresh) as copy:
        assert copy.execute("SELECT count(*) FROM provisioning_premiumrequest").fetchone() == (requests,)
        assert copy.execute("SELECT push_held FROM provisioning_installation").fetchone()[0]
        assert copy.execute("PRAGMA foreign_key_check").fetchall() == []


def test_what_is_told_of_keys_is_not_the_keys(world: World, tmp_path: Path, settings: Any) -> None:
    manifest = backups.backup(path=tmp_path / "backup.zip")
    assert len(manifest.keys) == 1
    assert manifest.keys[0] not in settings.CREDENTIAL_KEYS[0]
    assert timezone.now() - timedelta(minutes=5) < timezone.datetime.fromisoformat(manifest.made_at)
