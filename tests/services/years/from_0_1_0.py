"""Load the rows of 0.1.0 into an empty database, migrate it to the newest, use it, and print what was found as JSON.

A process of its own: `python -m tests.services.years.from_0_1_0` with DATABASE_URL.
"""

from __future__ import annotations

import contextlib
import json
import os
import traceback
import zipfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import django

os.environ["DJANGO_SETTINGS_MODULE"] = "tests.settings"
os.environ["PUSH_ENABLED"] = "true"
ROWS = Path(__file__).parent / "schema_0_1_0" / "rows.zip"


def load() -> list[str]:
    """The schema of then, and its rows; the names of its tables."""
    from django.db import connection, transaction
    from django.db.migrations.executor import MigrationExecutor

    from provisioning.services.backups import opened
    from provisioning.services.backups.restoring import _fill, _go_on_counting, _newest

    with opened(ROWS) as (archive, manifest):
        MigrationExecutor(connection).migrate(_newest(manifest))
        with transaction.atomic(), connection.cursor() as cursor:
            for table in manifest.tables:
                _fill(cursor, archive, table)
                if connection.vendor == "postgresql" and "id" in dict(table.columns):
                    _go_on_counting(cursor, table.name)
        connection.check_constraints()
        return [table.name for table in manifest.tables]


def counts(names: list[str]) -> dict[str, int]:
    from django.db import connection

    found = {}
    present = connection.introspection.table_names()
    with connection.cursor() as cursor:
        for name in names:
            if name in present:
                cursor.execute(f'SELECT count(*) FROM "{name}"')
                found[name] = cursor.fetchone()[0]
    return found


def values() -> dict[str, Any]:
    """What the rows say, read by the models of today."""
    from provisioning.models import (
        ApiToken,
        Change,
        Credential,
        LedgerEntry,
        PremiumRequest,
        RouterLease,
        RouterPush,
    )

    return {
        "requests": {
            row.pk: [row.state, row.rate_bps, row.source_prefixes, row.flow_label, row.consent]
            for row in PremiumRequest.objects.all()
        },
        "pushes": {
            row.pk: [row.change_id, row.router.name, row.phase, row.line, row.lines, row.fingerprint]
            for row in RouterPush.objects.select_related("router")
        },
        "states": {row.pk: row.state for row in RouterPush.objects.all()},
        "approved": {row.pk: row.approved_by_id for row in Change.objects.all()},
        "charged": sorted(
            [row.link, row.direction, row.pool, row.rate_bps, row.released_at is None]
            for row in LedgerEntry.objects.all()
        ),
        "leases": {
            row.router.name: [row.owner, row.epoch] for row in RouterLease.objects.select_related("router")
        },
        "passwords": [bool(row.password) for row in Credential.objects.all()],
        "token": ApiToken.objects.values_list("prefix", "digest").get(),
    }


def half_way() -> dict[str, Any]:
    """The push that a worker died on: what its successor may send has to be there, and to be what was approved."""
    from provisioning.models import RouterPush
    from provisioning.selectors.plans import plan_of
    from provisioning.services import approval

    (push,) = RouterPush.objects.filter(line__gt=0, lines__gt=0).exclude(state="VERIFIED")
    plan = plan_of(push)
    approval.approved_as_planned(push.change)
    return {
        "state": push.state,
        "line": push.line,
        "commands": len(plan.commands),
        "undo": len(plan.undo[push.line]),
        "before": push.before is not None,
    }


def pages() -> dict[str, int]:
    """Every list, and the page of every request, change and router, as the NOC sees them."""
    from django.contrib.auth.models import User
    from django.test import Client
    from django.urls import reverse

    from inventory.models import Router
    from provisioning.models import Change, PremiumRequest

    client = Client(raise_request_exception=False)
    client.force_login(User.objects.get(username="approver"))
    paths = [reverse(f"web:{name}") for name in ("home", "requests", "changes", "routers", "audit", "links")]
    paths += [reverse("web:request", args=[row.pk]) for row in PremiumRequest.objects.all()]
    for row in Change.objects.all():
        paths += [
            reverse(f"web:{name}", args=[row.pk])
            for name in ("change", "change-approve", "change-progress", "change-compare")
        ]
    paths += [reverse("web:router", args=[row.name]) for row in Router.objects.all()]
    return {path: client.get(path, headers={"host": "localhost"}).status_code for path in paths}


def main() -> None:
    django.setup()
    from django.core.management import call_command
    from django.db import connection

    from provisioning.models import Job
    from provisioning.services import audit, backups, jobs, retention, versions

    out: dict[str, Any] = {}
    names = load()
    with zipfile.ZipFile(ROWS) as archive:
        manifest = json.loads(archive.read("manifest.json"))
    out["written"] = {table["name"]: table["rows"] for table in manifest["tables"]}

    def step(name: str, act: Callable[[], Any]) -> None:
        try:
            out[name] = act()
        except Exception:  # noqa: BLE001 - every step is told
            out[name] = {"broken": traceback.format_exc()}

    with contextlib.redirect_stdout(None):
        step("migrate", lambda: call_command("migrate", verbosity=0))
        step("version", versions.check)
        step("counts", lambda: counts(names))
        step("values", values)
        step("constraints", connection.check_constraints)
        step(
            "trail", lambda: (check := audit.verify_chain()).intact or [str(fault) for fault in check.faults]
        )
        step("trail holds", lambda: audit.verify_chain().length)
        step("pages", pages)
        step("tick", lambda: sorted({job.kind for job in jobs.tick()}))
        step("again", lambda: len(jobs.tick()))
        step("half way", half_way)
        step(
            "recover",
            lambda: Job.objects.filter(kind__in=("push", "recover"), state__in=("queued", "leased")).count(),
        )
        step("prune", lambda: [row.left for row in retention.prune(dry_run=True)])
        file = Path(os.environ["STATE_DIR"]) / f"after-{connection.vendor}.zip"
        step("backup", lambda: backups.backup(path=file).rows)
    print(json.dumps(out))


if __name__ == "__main__":
    main()
