"""What is judged is what is granted: whoever asked may change it until its row is locked, and then nothing is granted.

Found by reading: the charges were those of what had been judged, the rate and the window those of what had been put in its place.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

import pytest

from provisioning.errors import StaleState
from provisioning.models import LedgerEntry, PremiumRequest, Reservation
from provisioning.services import decisions, modifications, series
from provisioning.services.decisions import deciding, holding
from provisioning.services.modifications import Modify
from provisioning.services.series import deciding as of_series
from tests.services.in_threads import at_once
from tests.services.requests.sixnet import JANET, charged_bps, hours, janet, noc, submitted
from tests.services.series.weekly import asked_for

pytestmark = [
    pytest.mark.postgres,
    pytest.mark.django_db(transaction=True),
    pytest.mark.usefixtures("postgres", "six_for_all"),
]
CHANGES = [Modify(rate="7M"), Modify(end=hours(40)), Modify(rate="500k")]


def without_consent(**asked: Any) -> PremiumRequest:
    """Of one NREN with itself, or with a standing consent: a larger rate needs nobody's word."""
    request = submitted(**asked)
    PremiumRequest.objects.filter(pk=request.pk).update(consent="not-needed")
    request.refresh_from_db()
    return request


def changing(request: PremiumRequest, wanted: Modify) -> Callable[[], object]:
    row = PremiumRequest.objects.get(pk=request.pk)
    return partial(modifications.modify, actor=janet(), request=row, wanted=wanted, reason="another hall")


def meanwhile(monkeypatch: pytest.MonkeyPatch, room: Any, name: str, change: Callable[[], object]) -> None:
    """Once it is judged, and before its row is locked, it is changed."""
    judge: Callable[..., Any] = getattr(room, name)

    def judged(*args: Any, **kwargs: Any) -> Any:
        found = judge(*args, **kwargs)
        (said,) = at_once(change)
        assert not isinstance(said, Exception), said
        return found

    monkeypatch.setattr(room, name, judged)


@pytest.mark.parametrize("wanted", CHANGES)
def test_what_became_another_request_is_not_admitted(monkeypatch: pytest.MonkeyPatch, wanted: Modify) -> None:
    request = without_consent(rate="1M", end=hours(10))
    meanwhile(monkeypatch, deciding, "judge_locked", changing(request, wanted))
    with pytest.raises(StaleState, match="asks for something else by now"):
        decisions.admit(actor=noc(), request=request, reason="it fits")
    request.refresh_from_db()
    assert request.state == "SUBMITTED" and not Reservation.objects.exists()
    monkeypatch.undo()
    decisions.admit(actor=noc(), request=request, reason="it fits as it is now")
    request.refresh_from_db()
    charges = LedgerEntry.objects.filter(request=request, released_at=None)
    assert {(row.rate_bps, row.start, row.end) for row in charges} == {
        (request.rate_bps, request.start, request.end)
    }


def test_nor_held(monkeypatch: pytest.MonkeyPatch) -> None:
    request = without_consent(rate="1M", end=hours(10))
    meanwhile(monkeypatch, holding, "judge_locked", changing(request, Modify(rate="7M")))
    with pytest.raises(StaleState, match="asks for something else by now"):
        decisions.hold(actor=noc(), request=request, until=hours(5), reason="talks")
    assert charged_bps(JANET, "in") == 0


def test_nor_a_series_with_it(monkeypatch: pytest.MonkeyPatch) -> None:
    made = asked_for(rate=1_000_000)
    PremiumRequest.objects.filter(series=made).update(consent="not-needed")
    of_it = PremiumRequest.objects.filter(series=made)
    meanwhile(monkeypatch, of_series, "judge_each_locked", lambda: of_it.update(rate_bps=7_000_000))
    with pytest.raises(StaleState, match="asks for something else by now"):
        series.admit(actor=noc(), series=made, reason="a course")
    assert not Reservation.objects.exists()
