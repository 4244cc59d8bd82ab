"""Restoring a backup: into a database without rows, in one transaction, and never so that it begins to push by itself."""

from __future__ import annotations

import zipfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from typing import Any

from cryptography.fernet import InvalidToken
from django.db import OperationalError, connection, transaction
from django.db.migrations.executor import MigrationExecutor
from django.db.migrations.recorder import MigrationRecorder

from provisioning.errors import Conflict
from provisioning.models import THE_ONE, Actor, Installation
from provisioning.models.credentials import keyring
from provisioning.services import audit, clock, versions
from provisioning.services.backups.answering import answers
from provisioning.services.backups.file import BadBackup, Manifest, Table, opened, rows_of
from provisioning.services.backups.safe import make_safe
from provisioning.services.backups.values import IN, translated
from provisioning.services.backups.writing import LEFT_OUT

# Tables whose rows are somebody's; what migrations and their signals write into a new database is not.
_SOMEBODYS = (
    "inventory_domain",
    "auth_user",
    "provisioning_auditevent",
    "provisioning_change",
    "provisioning_premiumrequest",
)
_AT_ONCE = 500


@dataclass(frozen=True, slots=True)
class Restored:
    """What was restored, what was made safe, and what is wrong with it all the same; `faults` empty: it answers."""

    manifest: Manifest
    made_safe: dict[str, int]
    notes: tuple[str, ...]
    faults: tuple[str, ...]


def restore(*, actor: Actor, path: Path, replace: bool = False, digest: str = "") -> Restored:
    """Put the rows of a backup into this database, bring them to this version, and look whether the service answers.

    The file is read to its end and found whole, and its migrations are found to be known here, before anything is
    touched. The rows come in one transaction, with pushing held. Afterwards leases are void with their epochs raised,
    live jobs are over, pushes under way are UNKNOWN, routers unknown until they are read.

    Raises BadBackup (the file, or `digest` is not its), Conflict (the database has rows and `replace` is not set, is in
    use, or is of another version than file and code), OtherVersion.
    """
    with opened(path) as (archive, manifest):
        if digest and digest != manifest.digest:
            raise BadBackup(f"the digest of the file is {manifest.digest}, not the one given", field="digest")
        _known_here(manifest)
        _prepare(manifest, replace=replace)
        with _alone():
            _load(archive, manifest, replace=replace)
    executor = MigrationExecutor(connection)
    executor.migrate(executor.loader.graph.leaf_nodes())
    versions.check()
    faults = _trail(manifest)
    made_safe = make_safe(actor=actor, manifest=manifest)
    return Restored(manifest, made_safe, tuple(_notes()), (*faults, *answers()))


def _known_here(manifest: Manifest) -> None:
    strange = sorted(
        each
        for each in set(manifest.migrations) - versions.known()
        if each[0] in {app for app, _ in versions.known()}
    )
    if strange:
        raise BadBackup(
            f"the backup is of a newer version than this one (it has the migration {'.'.join(strange[-1])}, which is not known "
            "here): restore it with the version that made it",
            field="file",
        )


def _prepare(manifest: Manifest, *, replace: bool) -> None:
    """The tables as they were when the backup was made, made now where there are none."""
    tables = set(connection.introspection.table_names())
    applied = set(MigrationRecorder(connection).applied_migrations()) & versions.known()
    if not applied:
        MigrationExecutor(connection).migrate(_newest(manifest))
        return
    if (taken := _taken(tables)) and not replace:
        raise Conflict(
            f"the database has rows already ({', '.join(taken)}): name an empty one in DATABASE_URL, or give --replace to lose "
            "what is there"
        )
    if applied != set(manifest.migrations) & versions.known():
        raise Conflict(
            "the tables of this database are of another version than the backup: restore into a database without tables; they "
            "are made as they were and then brought to this version"
        )


def _newest(manifest: Manifest) -> list[tuple[str, str]]:
    """Of the migrations of the backup those that none of its own builds on, per app."""
    graph = MigrationExecutor(connection).loader.graph
    wanted = {each for each in manifest.migrations if each in graph.nodes}
    return sorted(
        each
        for each in wanted
        if not any(child.key in wanted and child.key[0] == each[0] for child in graph.node_map[each].children)
    )


def _taken(tables: set[str]) -> list[str]:
    found = []
    with connection.cursor() as cursor:
        for name in _SOMEBODYS:
            if name in tables:
                cursor.execute(f"SELECT 1 FROM {connection.ops.quote_name(name)} LIMIT 1")  # noqa: S608
                if cursor.fetchone() is not None:
                    found.append(name)
    return found


@contextmanager
def _alone() -> Iterator[None]:
    """One transaction that nobody else is in; triggers of ours, which judge what services do, are off within it."""
    try:
        with transaction.atomic(), connection.cursor() as cursor:
            if connection.vendor == "postgresql":
                cursor.execute("SET LOCAL lock_timeout = '10s'")
                yield
                return
            cursor.execute("SELECT name, sql FROM sqlite_master WHERE type = 'trigger'")
            triggers = cursor.fetchall()
            for name, _ in triggers:
                cursor.execute(f"DROP TRIGGER {connection.ops.quote_name(name)}")
            yield
            for _, statement in triggers:
                cursor.execute(statement)
    except OperationalError as error:
        raise Conflict(
            f"the database is in use ({str(error).splitlines()[0]}): stop web, workers and beat first"
        ) from error


def _load(archive: zipfile.ZipFile, manifest: Manifest, *, replace: bool) -> None:
    quote = connection.ops.quote_name
    postgresql = connection.vendor == "postgresql"
    present = set(connection.introspection.table_names())
    if absent := [table.name for table in manifest.tables if table.name not in present]:
        raise BadBackup(f"this database has no table {', '.join(absent)}", field="file")
    with connection.cursor() as cursor:
        held = {table.name for table in manifest.tables} | LEFT_OUT
        names = [quote(name) for name in sorted(held & present)]
        if postgresql:
            cursor.execute(f"LOCK TABLE {', '.join(names)} IN ACCESS EXCLUSIVE MODE")
        if not replace and (taken := _taken(present)):  # under the lock: somebody may have been quicker
            raise Conflict(f"the database has rows already ({', '.join(taken)})")
        if postgresql:
            for name in names:
                cursor.execute(f"ALTER TABLE {name} DISABLE TRIGGER USER")
            cursor.execute(f"TRUNCATE {', '.join(names)}")
        else:
            for name in names:
                cursor.execute(f"DELETE FROM {name}")  # noqa: S608
        for table in manifest.tables:
            _fill(cursor, archive, table)
            if postgresql and "id" in dict(table.columns):
                _go_on_counting(cursor, table.name)
        _hold(cursor, manifest)
        if postgresql:
            cursor.execute("SET CONSTRAINTS ALL IMMEDIATE")  # what a foreign key says is said now
            for name in names:
                cursor.execute(f"ALTER TABLE {name} ENABLE TRIGGER USER")
    connection.check_constraints()


def _fill(cursor: Any, archive: zipfile.ZipFile, table: Table) -> None:
    quote = connection.ops.quote_name
    there = {column.name for column in connection.introspection.get_table_description(cursor, table.name)}
    if strange := [name for name, _ in table.columns if name not in there]:
        raise BadBackup(f"{table.name} has no column {', '.join(strange)} here", field="file")
    columns = ", ".join(quote(name) for name, _ in table.columns)
    marks = ", ".join(["%s"] * len(table.columns))
    statement = f"INSERT INTO {quote(table.name)} ({columns}) VALUES ({marks})"  # noqa: S608
    kinds = [kind for _, kind in table.columns]
    rows = (translated(tuple(row), kinds, IN) for row in rows_of(archive, table))
    while some := list(islice(rows, _AT_ONCE)):
        cursor.executemany(statement, some)


def _go_on_counting(cursor: Any, table: str) -> None:
    """New rows get keys beyond those restored."""
    name = connection.ops.quote_name(table)
    cursor.execute("SELECT pg_get_serial_sequence(%s, 'id')", [name])
    (sequence,) = cursor.fetchone()
    if sequence is not None:
        cursor.execute(
            f"SELECT setval(%s::regclass, coalesce(max(id), 1), max(id) IS NOT NULL) FROM {name}",  # noqa: S608
            [sequence],
        )


def _hold(cursor: Any, manifest: Manifest) -> None:
    """Pushing is held from the moment the rows are there; in plain SQL, for the tables may be of an older version."""
    said = (
        f"this is a restored copy (of {manifest.made_at[:16].replace('T', ' ')} UTC). When the original is "
        "switched off for good, `manage.py restore --resume --as USER` lets this one push."
    )
    table = connection.ops.quote_name(Installation._meta.db_table)
    cursor.execute(f"DELETE FROM {table}")  # noqa: S608
    cursor.execute(
        f"INSERT INTO {table} (id, push_held, held_at, restored_from) VALUES (%s, %s, %s, %s)",  # noqa: S608
        [THE_ONE, said, connection.ops.adapt_datetimefield_value(clock.now()), manifest.digest],
    )


def _trail(manifest: Manifest) -> Sequence[str]:
    """Whether the audit trail is unbroken and holds the head that was noted when the backup was made."""
    check = audit.verify_chain()
    faults = [f"audit event {fault.sequence}: {fault.reason}" for fault in check.faults[:10]]
    sequence, digest = manifest.audit
    if sequence and not audit.holds(digest):
        faults.append(
            f"the audit trail does not hold the head noted in the backup (event {sequence}, {digest})"
        )
    return faults


def _notes() -> Iterator[str]:
    """What somebody has to do before the restored service is of use."""
    unread, rows = 0, 0
    with connection.cursor() as cursor:
        cursor.execute("SELECT password, enable FROM provisioning_credential")
        for row in cursor.fetchall():
            rows += 1
            try:
                for text in filter(None, row):
                    keyring().decrypt(str(text).encode())
            except InvalidToken:
                unread += 1
    if unread:
        yield (
            f"{unread} of {rows} router credentials cannot be read with CREDENTIAL_KEYS: set the keys of the original, or enter "
            "the credentials again"
        )
    yield "API tokens are valid only with the TOKEN_PEPPER of the original; everybody signs in again."
