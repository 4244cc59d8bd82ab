"""Writing a backup: every row of one moment, while the service goes on."""

from __future__ import annotations

import hashlib
import json
import os
import sqlite3
import tempfile
import zipfile
from collections.abc import Iterator
from contextlib import closing, contextmanager
from importlib import metadata
from pathlib import Path
from typing import Any

from django.apps import apps
from django.conf import settings
from django.db import connection, models, transaction

from provisioning.errors import Conflict, InvalidInput
from provisioning.services import clock, versions
from provisioning.services.backups.file import FORMAT, MANIFEST, Manifest, Table
from provisioning.services.backups.values import OUT, kind_of, translated

# Who is signed in and which processes live stays with the original: a copy beside it has its own.
LEFT_OUT = frozenset({"django_session", "usersessions_usersession", "provisioning_heartbeat"})
_AT_ONCE = 500


def backup(*, path: Path) -> Manifest:
    """Write all rows, as they are at one moment, to a new file that only its owner can read; return what it holds.

    On PostgreSQL one REPEATABLE READ transaction reads them, on SQLite the online backup copies the file first: nobody
    who writes waits. The file appears under its name when it is whole. Raises InvalidInput where it exists or cannot be
    written, Conflict where the database is not this version's.
    """
    if path.exists():
        raise InvalidInput(f"{path} exists already; it is not overwritten", field="file")
    versions.check()
    part = path.with_name(f".{path.name}.part")
    try:
        with (
            _only_mine(part) as file,
            zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED, allowZip64=True) as archive,
        ):
            manifest = _write(archive)
        part.rename(path)
    except OSError as error:
        raise InvalidInput(f"{path} cannot be written: {error.strerror or error}", field="file") from error
    finally:
        part.unlink(missing_ok=True)
    return manifest


def key_name(key: str) -> str:
    """What tells one of CREDENTIAL_KEYS from another and gives nothing of it away (a Fernet key is 256 random bits)."""
    return hashlib.sha256(b"expedite credential key\0" + key.encode()).hexdigest()[:12]


def tables() -> list[type[models.Model]]:
    """Every table of a model, those between two models included, by name."""
    found = {
        model._meta.db_table: model
        for model in apps.get_models(include_auto_created=True)
        if model._meta.managed and not model._meta.proxy
    }
    return [found[name] for name in sorted(found.keys() - LEFT_OUT)]


def _write(archive: zipfile.ZipFile) -> Manifest:
    with _one_moment() as cursors:
        with closing(cursors()) as cursor:
            head = _asked(cursor, "SELECT sequence, digest FROM provisioning_audithead ORDER BY id DESC")
            migrations = _asked(cursor, "SELECT app, name FROM django_migrations ORDER BY app, name")
        manifest = Manifest(
            format=FORMAT,
            made_at=clock.now().isoformat(),
            version=project_version(),
            database=connection.vendor,
            migrations=[(app, name) for app, name in migrations],
            audit=(head[0][0], head[0][1]) if head else (0, "0" * 64),
            keys=[key_name(key) for key in settings.CREDENTIAL_KEYS],
        )
        for model in tables():
            with closing(cursors()) as cursor:
                manifest.tables.append(_table(archive, model, cursor))
    archive.writestr(MANIFEST, manifest.to_bytes())
    return manifest


def project_version() -> str:
    """The version of the project as it is installed, or "source" where it runs from its folder."""
    try:
        return metadata.version("expedite")
    except metadata.PackageNotFoundError:
        return "source"


def _asked(cursor: Any, statement: str) -> list[tuple[Any, ...]]:
    cursor.execute(statement)
    return [tuple(row) for row in cursor.fetchall()]


def _table(archive: zipfile.ZipFile, model: type[models.Model], cursor: Any) -> Table:
    # What the database works out by itself is not written back either.
    fields = [field for field in model._meta.local_concrete_fields if not field.generated]
    columns = [(str(field.column), kind_of(field)) for field in fields]
    kinds = [kind for _, kind in columns]
    name, quote = model._meta.db_table, connection.ops.quote_name
    key = quote(str(model._meta.pk.column))
    wanted = ", ".join(quote(column) for column, _ in columns)
    cursor.execute(f"SELECT {wanted} FROM {quote(name)} ORDER BY {key}")  # noqa: S608
    digest, rows = hashlib.sha256(), 0
    with archive.open(f"rows/{name}.jsonl", "w", force_zip64=True) as member:
        while found := cursor.fetchmany(_AT_ONCE):
            text = "".join(
                json.dumps(translated(row, kinds, OUT), separators=(",", ":")) + "\n" for row in found
            ).encode()
            digest.update(text)
            member.write(text)
            rows += len(found)
    return Table(name, columns, rows, digest.hexdigest())


@contextmanager
def _one_moment() -> Iterator[Any]:
    """Yield what makes cursors that all see the rows of the same moment; rows asked of the models here are no newer.

    Cursors stream: no table is in memory as a whole.
    """
    if connection.vendor != "sqlite":
        if connection.in_atomic_block:
            raise Conflict("a backup begins a transaction of its own")
        with transaction.atomic():
            with connection.cursor() as cursor:
                cursor.execute("SET TRANSACTION ISOLATION LEVEL REPEATABLE READ, READ ONLY")
            yield connection.chunked_cursor
        return
    connection.ensure_connection()
    with tempfile.TemporaryDirectory(prefix="expedite-backup-") as directory:
        copied = Path(directory) / "copy.sqlite3"
        with closing(sqlite3.connect(copied)) as copy:
            connection.connection.backup(copy)
            yield copy.cursor


@contextmanager
def _only_mine(path: Path) -> Iterator[Any]:
    with os.fdopen(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "wb") as file:
        yield file
        file.flush()
        os.fsync(file.fileno())
