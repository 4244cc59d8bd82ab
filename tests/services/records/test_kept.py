"""What is kept of decisions is small, and leaves in order."""

from __future__ import annotations

from typing import Any

import pytest

from provisioning.models import (
    SYSTEM,
    AuditEvent,
    DecisionRecord,
    LedgerEntry,
    PremiumRequest,
    RecordedText,
    TopologyVersion,
)
from provisioning.services import decisions, retention, topology
from tests.services.records.deciding import again, decided
from tests.services.requests.sixnet import hours, noc
from tests.services.topology.diamond import MBIT, ask, core

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("file")]


def test_records_stay_small_however_much_is_in_the_book() -> None:
    """6,000 charges of others on the very links, and as many buckets: the record of a decision is a few kilobytes."""
    first = decided(MBIT // 2, start=hours(1), end=hours(2000))
    small = len(DecisionRecord.objects.get(request=first).content)
    like = LedgerEntry.objects.filter(request=first)
    rows = [
        LedgerEntry(
            reservation_id=row.reservation_id,
            request_id=row.request_id,
            link=row.link,
            direction=row.direction,
            pool=row.pool,
            rate_bps=8000 + n,
            start=hours(n),
            end=hours(n + 1.5),
            exempt="moved",  # nobody asks the witness, which would look at each beside all others
        )
        for n in range(1500)
        for row in like
    ]
    LedgerEntry.objects.bulk_create(rows, batch_size=1000)
    second = decided(MBIT, start=hours(1), end=hours(1500))
    record = DecisionRecord.objects.get(request=second)
    assert again(second).verdict == "admitted"
    assert again(second).status == 0
    assert len(record.content) < small + 4000, (small, len(record.content))


def test_a_record_leaves_before_the_texts_it_needs_and_recheck_says_that_it_is_gone(settings: Any) -> None:
    """Nothing of what is live goes; what is over goes with its digest in the trail, and its network only after it."""
    settings.KEEP_RECORDS_DAYS = 10
    live, over = decided(MBIT), ask("a", "d", 5 * MBIT)
    decisions.refuse(actor=noc(), request=over, reason="too much")
    topology.declare(actor=SYSTEM, name=core(0), deed="down", reason="cut")
    long_ago = hours(-24 * 30)
    DecisionRecord.objects.update(at=long_ago)
    RecordedText.objects.update(created_at=long_ago)
    PremiumRequest.objects.filter(pk=over.pk).update(state_changed_at=long_ago)
    digest = DecisionRecord.objects.get(request=over).digest
    first, second = (TopologyVersion.objects.get(number=number).text for number in (1, 2))
    assert first is not None and second is not None
    retention.prune()
    assert [row.request_id for row in DecisionRecord.objects.all()] == [live.pk]
    assert "older than records are kept" in str(again(over).of("missing")[0])
    gone = AuditEvent.objects.get(action="retention.prune", after__kind="records of decisions")
    assert gone.after["rows"][0][1] == digest
    first.refresh_from_db()
    assert first.content, "a record refers to it"
    DecisionRecord.objects.all().delete()
    retention.prune()
    first.refresh_from_db()
    second.refresh_from_db()
    assert (bytes(first.content), bool(second.content)) == (b"", True), "the current network never goes"
