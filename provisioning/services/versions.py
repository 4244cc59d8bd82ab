"""Whether this process and the database are of one version: a process of another neither plans nor pushes.

The applied migrations are the database's version, those that came with the code are the process's. They differ between
`migrate` and the restart of a process, and where somebody forgot either. Every tick asks, and so do planning and pushing.
"""

from __future__ import annotations

from functools import cache
from typing import ClassVar

from django.db import connection

from provisioning.errors import ExpediteError


class OtherVersion(ExpediteError):
    """This process is of another version than the database: it has to end, and one of the same version to begin."""

    code: ClassVar[str] = "other-version"
    status: ClassVar[int] = 503


@cache
def known() -> frozenset[tuple[str, str]]:
    """The migrations that came with this code: (app, name). Read from the disk once in a process."""
    # Loaded where a process asks, not by every command.
    from django.db.migrations.loader import MigrationLoader

    loader = MigrationLoader(None)
    assert loader.disk_migrations is not None
    return frozenset(loader.disk_migrations)


def check() -> None:
    """Raise OtherVersion, with what to do, unless the database has exactly the migrations of this code. One query."""
    from django.db.migrations.recorder import MigrationRecorder

    ours = {app for app, _ in known()}
    rows = MigrationRecorder(connection).migration_qs.values_list("app", "name")
    applied = {(app, name) for app, name in rows if app in ours}
    newer, missing = sorted(applied - known()), sorted(known() - applied)
    if newer:
        raise OtherVersion(
            f"the database is of a newer version than this process (it has the migration {'.'.join(newer[-1])}): end this "
            "process and start the version that made it; until then it neither plans nor pushes"
        )
    if missing:
        raise OtherVersion(
            f"the database is of an older version than this process (it lacks the migration {'.'.join(missing[-1])}): stop "
            "the service, make a backup, run `manage.py migrate`, start it again; until then it neither plans nor pushes"
        )
