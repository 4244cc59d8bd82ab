"""The file of a backup: a zip with one member of JSON lines per table, and a manifest that says what has to be there."""

from __future__ import annotations

import hashlib
import json
import zipfile
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any, ClassVar

from provisioning.errors import InvalidInput

FORMAT = 1
MANIFEST = "manifest.json"
_LARGEST_MANIFEST = 10_000_000


class BadBackup(InvalidInput):
    """The file is not a whole backup, or not one that can be restored here."""

    code: ClassVar[str] = "bad-backup"


@dataclass(frozen=True, slots=True)
class Table:
    """One table: its columns with how their values are translated, how many rows, SHA-256 (hex) of its member."""

    name: str
    columns: list[tuple[str, str]]
    rows: int
    sha256: str

    @property
    def member(self) -> str:
        return f"rows/{self.name}.jsonl"


@dataclass(frozen=True, slots=True)
class Manifest:
    """What a backup holds. `audit` is the head of the trail (sequence, digest); `keys` tell CREDENTIAL_KEYS apart."""

    format: int
    made_at: str
    version: str
    database: str
    migrations: list[tuple[str, str]]
    audit: tuple[int, str]
    keys: list[str]
    tables: list[Table] = field(default_factory=list)

    @property
    def rows(self) -> int:
        return sum(table.rows for table in self.tables)

    def to_bytes(self) -> bytes:
        return json.dumps(asdict(self), indent=1).encode()

    @property
    def digest(self) -> str:
        """SHA-256 (hex) of the manifest, and through it of every row: to be noted elsewhere."""
        return hashlib.sha256(self.to_bytes()).hexdigest()


@contextmanager
def opened(path: Path) -> Iterator[tuple[zipfile.ZipFile, Manifest]]:
    """The file and its manifest, once every byte of it was found as written. Raises BadBackup, with the reason."""
    try:
        with zipfile.ZipFile(path) as archive:
            manifest = _manifest(archive)
            for table in manifest.tables:
                _check(archive, table)
            yield archive, manifest
    except FileNotFoundError as error:
        raise BadBackup(f"there is no file {path}", field="file") from error
    except (zipfile.BadZipFile, EOFError, zlib.error) as error:
        raise BadBackup(
            f"{path} is not a whole backup (cut off or damaged): {error}", field="file"
        ) from error
    except OSError as error:
        raise BadBackup(f"{path} cannot be read: {error.strerror or error}", field="file") from error


def rows_of(archive: zipfile.ZipFile, table: Table) -> Iterator[list[Any]]:
    """The rows of a table, one after the other."""
    with archive.open(table.member) as member:
        for line in member:
            yield json.loads(line)


def _manifest(archive: zipfile.ZipFile) -> Manifest:
    try:
        if archive.getinfo(MANIFEST).file_size > _LARGEST_MANIFEST:
            raise BadBackup("its manifest is larger than any could be", field="file")
        said = json.loads(archive.read(MANIFEST))
        if said["format"] != FORMAT:
            raise BadBackup(
                f"the file has format {said['format']!r}; this version reads format {FORMAT}", field="file"
            )
        tables = [
            Table(one["name"], [(name, kind) for name, kind in one["columns"]], one["rows"], one["sha256"])
            for one in said.pop("tables")
        ]
        said["migrations"] = [(app, name) for app, name in said["migrations"]]
        said["audit"] = (int(said["audit"][0]), str(said["audit"][1]))
        return Manifest(**said, tables=tables)
    except (KeyError, TypeError, ValueError, IndexError) as error:
        raise BadBackup(
            "the file is no backup of Expedite: it has no manifest that could be read", field="file"
        ) from error


def _check(archive: zipfile.ZipFile, table: Table) -> None:
    found, rows = hashlib.sha256(), 0
    try:
        with archive.open(table.member) as member:
            while piece := member.read(1 << 20):
                found.update(piece)
                rows += piece.count(b"\n")
    except KeyError as error:
        raise BadBackup(f"the rows of {table.name} are missing", field="file") from error
    if (found.hexdigest(), rows) != (table.sha256, table.rows):
        raise BadBackup(f"the rows of {table.name} are not those that were written", field="file")
