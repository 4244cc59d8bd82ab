"""What the lists write into files: of each row what stands in the database, rates in bit/s and times in UTC."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from inventory.models import Nren
from provisioning.models import Change
from provisioning.selectors.changes import state_of
from provisioning.selectors.monthly_columns import COLUMNS
from provisioning.web.sheets import Sheet, Value

_ASKED: Final[Mapping[str, Value]] = {
    "id": "pk",
    "state": "state",
    "consent": "consent",
    "nren": "nren__name",
    "receiving_nren": "receiving_nren__name",
    "source_link": "source_link__name",
    "destination_link": "destination_link__name",
    "service_class": "service_class",
    "rate_bps": "rate_bps",
    "start": "start",
    "end": "end",
    "source_prefixes": "source_prefixes",
    "destination_prefixes": "destination_prefixes",
    "series": "series",
    "contact": "contact",
    "reason": "reason",
    "submitted_at": "submitted_at",
    "decided_at": "decided_at",
    "decision_reason": "decision_reason",
}
_SHOWS: Final = {"reference": ("id", "series")}
REQUESTS: Final = Sheet("requests", {**_ASKED, "submitted_by": "submitted_by__username"}, _SHOWS)
SENT: Final = Sheet("my-requests", _ASKED, _SHOWS)

AFFECTED: Final = Sheet(
    "affected",
    {
        name: _ASKED[name]
        for name in (
            "id",
            "state",
            "nren",
            "receiving_nren",
            "source_link",
            "destination_link",
            "service_class",
            "rate_bps",
            "start",
            "end",
            "contact",
        )
    },
)


def _routers(change: Change) -> list[str]:
    return sorted({push.router.name for push in change.pushes.all()})


def _lines(change: Change) -> int:
    return sum(push.lines for push in change.pushes.all())


CHANGES: Final = Sheet(
    "changes",
    {
        "id": "pk",
        "title": "title",
        "kind": "kind",
        "state": lambda change: state_of(change).value,
        "routers": _routers,
        "lines": _lines,
        "requests": lambda change: [one.pk for one in change.requests.all()],
        "submitted_by": "submitted_by__username",
        "approved_by": "approved_by__username",
        "reason": "reason",
        "created_at": "created_at",
        "approved_at": "approved_at",
        "finished_at": "finished_at",
    },
    {"reference": ("id",)},
)
EVENTS: Final = Sheet(
    "audit",
    {
        name: name
        for name in (
            "sequence",
            "at",
            "actor",
            "via",
            "action",
            "object_type",
            "object_id",
            "object_label",
            "reason",
            "digest",
        )
    },
    {"object_label": ("object_type", "object_id", "object_label")},
)
ROUTERS: Final = Sheet(
    "routers",
    {
        "name": "name",
        "platform": "platform",
        "ios": "ios",
        "pop": "pop__name",
        "serial": "serial",
        "state": lambda router: router.sync.state if hasattr(router, "sync") else "unknown",
        "core_live": "sync__core_live",
        "open_edges": lambda router: router.sync.open_edges if hasattr(router, "sync") else None,
        "checked_at": "sync__checked_at",
    },
    {"sync": ("state",), "core": ("core_live",), "checked": ("checked_at",)},
)
LINKS: Final = Sheet(
    "links",
    {
        name: name
        for name in (
            "name",
            "kind",
            "owner",
            "case",
            "routers",
            "prefix",
            "base_bps",
            "share_bps",
            "committed_bps",
            "headroom_bps",
            "peak_bps",
        )
    },
    {"use": ("committed_bps", "peak_bps")},
)


def _prefixes(nren: Nren) -> list[Any]:
    return [str(prefix.network) for prefix in nren.prefixes.all()]


NRENS: Final = Sheet(
    "nrens",
    {
        "name": "name",
        "country": "country",
        "prefixes": _prefixes,
        "links": "links_count",
        "open_requests": "open_requests",
        "admitted_requests": "granted_requests",
        "active_requests": "active_requests",
    },
    {"granted_requests": ("admitted_requests",)},
)
DIFFERENCES: Final = Sheet(
    "differences",
    {
        "router": "router__name",
        **{
            name: name
            for name in (
                "object",
                "expected",
                "found",
                "first_seen_at",
                "last_seen_at",
                "gone_at",
                "ignored_until",
                "ignored_reason",
            )
        },
        "ignored_by": "ignored_by__username",
    },
    {
        "kind": ("expected", "found"),
        "first": ("first_seen_at",),
        "last": ("last_seen_at",),
        "gone": ("gone_at",),
        "state": ("gone_at", "ignored_until"),
    },
)

MONTHLY: Final[Mapping[str, Sheet]] = {name: Sheet(f"report-{name}", of) for name, of in COLUMNS.items()}
"""The tables of a monthly report."""
