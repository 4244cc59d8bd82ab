"""The one order in which rows are locked, and the one way to lock them (docs/explanation/locks.md).

No lock here is for a change of keys: NO KEY UPDATE goes together with the KEY SHARE that PostgreSQL takes on a referred
row when it checks a foreign key, which Django leaves until COMMIT. FOR UPDATE would not: who inserts a row that refers to a
link holds whatever else it locked, waits for the link, and so closes a circle that nobody wrote down.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import contextmanager, suppress
from contextvars import ContextVar
from typing import Final, TypeVar

from django.db import Error, connection, models
from django.db.models import QuerySet

Row = TypeVar("Row", bound=models.Model)

ORDER: Final[tuple[tuple[str, ...], ...]] = (
    ("provisioning.IdempotencyKey",),
    (
        "sessions.Session",
        "auth.User",
        "auth.Group",
        "auth.User_groups",
        "auth.Group_permissions",
        "provisioning.DrawnPassword",
    ),
    ("usersessions.UserSession",),
    ("mfa.Authenticator", "socialaccount.SocialAccount"),
    ("provisioning.Membership", "provisioning.ApiToken", "provisioning.KeptForm"),
    ("provisioning.SavedView",),
    ("provisioning.ChosenView",),
    ("inventory.Domain",),
    ("inventory.AccessLink",),
    ("inventory.CoreLink",),
    ("inventory.Peering",),
    ("inventory.Nren", "inventory.Prefix", "inventory.Pop"),
    ("provisioning.Quota",),
    ("inventory.Router", "inventory.LineCard", "inventory.Interface"),
    ("provisioning.RecordedText",),
    ("provisioning.CapacityChange",),
    ("provisioning.TopologyVersion", "provisioning.StagedVersion", "provisioning.LinkShare"),
    ("provisioning.Series",),
    ("provisioning.PremiumRequest",),
    ("provisioning.RequestPrefix",),
    ("provisioning.Modification", "provisioning.Remark"),
    ("provisioning.Reservation",),
    ("provisioning.LedgerEntry",),
    ("provisioning.FlowLabelUse",),
    ("provisioning.DecisionRecord",),
    ("provisioning.Credential", "provisioning.AdoptedName", "provisioning.LinkObjectName"),
    ("provisioning.ApprovedLines",),
    ("provisioning.RouterLease",),
    ("provisioning.RouterQueue",),
    ("provisioning.Change",),
    ("provisioning.RouterPush",),
    ("provisioning.Approval",),
    ("provisioning.BreakGlass",),
    (
        "provisioning.Ownership",
        "provisioning.RouterSync",
        "provisioning.RouterDifference",
        "provisioning.Transcript",
        "provisioning.StoredPlan",
        "provisioning.ConfigSnapshot",
        "provisioning.BareInterface",
        "provisioning.SwapTime",
        "provisioning.Rehearsal",
        "provisioning.RehearsedPush",
        "provisioning.RouterCapabilities",
        "provisioning.CounterLook",
    ),
    ("provisioning.UsageSeries",),
    ("provisioning.UsagePeriod",),
    ("provisioning.Job",),
    ("provisioning.Subscriber", "provisioning.Message"),
    ("provisioning.FailureRun", "provisioning.FailureEffect", "provisioning.UnprotectedRequest"),
    ("provisioning.Installation", "provisioning.Heartbeat"),
    ("provisioning.AuditSubject",),
    ("provisioning.AuditHead", "provisioning.AuditWaiting"),
    ("provisioning.Notification", "provisioning.Telling"),
)
"""Groups of tables: a transaction that holds rows of one locks rows of the same or a later one. Within a table by key."""


def locked(rows: QuerySet[Row], *, skip_locked: bool = False) -> QuerySet[Row]:
    """Return `rows` as a query that locks them until the transaction ends.

    What `select_related` joins is not locked; the rows of a table that only a filter joins are: name keys where it matters.
    SQLite locks the whole database when a transaction begins and needs none of it.
    """
    joined = bool(rows.query.select_related)
    return rows.select_for_update(no_key=True, skip_locked=skip_locked, of=("self",) if joined else ())


_MEETING: Final = 0x4C4E4B
"""The class of the advisory locks of `meet`: "LNK"."""


def meet(keys: Iterable[int], *, ending: bool = False) -> None:
    """Let who refers to access links of these keys for the first time (many at once), and who is ``ending`` one of them (alone),
    come one after the other, until the transaction ends. First in it, before any row is locked.

    A lock of the link's row would not do: who decides holds it, and whoever asks does not wait for that; and what a foreign key
    takes of it is not refused by a row that is there still. SQLite has one writer anyhow.
    """
    if connection.vendor != "postgresql":
        return
    take = "pg_advisory_xact_lock" if ending else "pg_advisory_xact_lock_shared"
    with connection.cursor() as cursor:
        for key in sorted(set(keys)):
            cursor.execute(f"SELECT {take}(%s, %s)", [_MEETING, key & 0x7FFFFFFF])


_bounded: ContextVar[bool] = ContextVar("_bounded", default=False)


@contextmanager
def waiting_at_most(seconds: int, *, once: bool = False) -> Iterator[None]:
    """Meanwhile each lock is waited for so long; then OperationalError (lock_not_available). With `once` the locks after one
    that was waited for in vain are hardly waited for (`wait_no_more`). On SQLite every writer waits for every other anyway,
    and this changes nothing.
    """
    if connection.vendor != "postgresql":
        yield
        return
    with connection.cursor() as cursor:
        cursor.execute(f"SET lock_timeout = '{seconds:d}s'")
    before = _bounded.set(once)
    try:
        yield
    finally:
        _bounded.reset(before)
        with suppress(Error), connection.cursor() as cursor:  # where it is gone there is nothing to put back
            cursor.execute("RESET lock_timeout")


def wait_no_more() -> None:
    """After one lock that was waited for in vain, within `waiting_at_most` of `once`: who holds a thousand rows would be waited
    for a thousand times.
    """
    if _bounded.get():
        with suppress(Error), connection.cursor() as cursor:
            cursor.execute("SET lock_timeout = '10ms'")
