"""What stands in the tables beside some records, read by one statement for each table however many they are."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterable, Sequence
from typing import Any

from django.db.models import Q

from provisioning.models import AuditEvent, DecisionRecord, LedgerEntry, Modification, Reservation
from provisioning.pipeline.states import ModificationState
from provisioning.selectors.parts import in_parts

_HAVE_CHANGED = (ModificationState.ADMITTED, ModificationState.IN_FORCE)


class Beside:
    """The rows that came of these decisions.

    What excuses a difference is read after what would differ: something that is done meanwhile is no fault.
    """

    def __init__(self, records: Sequence[DecisionRecord]) -> None:
        self._events: defaultdict[tuple[int, str], list[Any]] = defaultdict(list)
        self._granted: defaultdict[int, list[LedgerEntry]] = defaultdict(list)
        self._held: defaultdict[int, list[LedgerEntry]] = defaultdict(list)
        self._reservations: dict[int, Reservation] = {}
        self._changed: dict[int, Modification] = {}
        self._newest: dict[int, int] = {}
        by_deed: defaultdict[str, set[int]] = defaultdict(set)
        for record in records:
            by_deed[record.deed] |= set(keys_of(record))
        for deed, about in by_deed.items():
            for keys in in_parts(about):
                self._read_events(deed, keys)
        for keys in in_parts(by_deed["admitted"]):
            for charge in _charges(Q(reservation__request__in=keys)):
                self._granted[charge.request_id].append(charge)
        for keys in in_parts(by_deed["held"]):
            for charge in _charges(Q(hold__in=keys)):
                self._held[charge.request_id].append(charge)
        for keys in in_parts(set().union(*by_deed.values())):
            self._read_what_became(keys)

    def _read_events(self, deed: str, keys: Collection[int]) -> None:
        found = AuditEvent.objects.order_by().filter(
            object_type="PremiumRequest",
            object_id__in=[str(key) for key in keys],
            action=f"request.{deed}",
        )
        for key, after in found.values_list("object_id", "after"):
            self._events[int(key), deed].append(after)

    def _read_what_became(self, keys: Collection[int]) -> None:
        for held in Reservation.objects.order_by().filter(request__in=keys):
            self._reservations[held.request_id] = held
        changed = Modification.objects.filter(request__in=keys, state__in=_HAVE_CHANGED).order_by("pk")
        for row in changed:
            self._changed[row.request_id] = row
        about = DecisionRecord.objects.order_by().filter(Q(request__in=keys) | Q(twin__in=keys))
        for record, *pair in about.values_list("pk", "request", "twin"):
            for key in pair:
                if key is not None:
                    self._newest[key] = max(record, self._newest.get(key, 0))

    def events(self, key: int, deed: str) -> list[Any]:
        """What the audit trail says after each deed of that kind on the request of that key."""
        return self._events[key, deed]

    def reservation(self, key: int) -> Reservation | None:
        """What it was granted."""
        return self._reservations.get(key)

    def granted(self, key: int) -> list[LedgerEntry]:
        """The charges of its reservation, by key."""
        return self._granted[key]

    def held(self, key: int) -> list[LedgerEntry]:
        """The charges of its hold, by key."""
        return self._held[key]

    def changed(self, key: int) -> Modification | None:
        """The newest modification of it that was granted."""
        return self._changed.get(key)

    def was_followed(self, record: DecisionRecord) -> bool:
        """Whether there is a later record about the same request."""
        return any(self._newest.get(key, 0) > record.pk for key in keys_of(record))


def keys_of(record: DecisionRecord) -> list[int]:
    """The keys of the requests that it is about."""
    return [key for key in (record.request_id, record.twin_id) if key is not None]


def _charges(whose: Q) -> Iterable[LedgerEntry]:
    fields = ("request_id", "link", "direction", "pool", "rate_bps", "start", "end", "released_at")
    return LedgerEntry.objects.filter(whose).only(*fields).order_by("pk")
