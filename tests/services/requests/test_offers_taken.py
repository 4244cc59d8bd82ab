"""What if, and a counter-offer taken: one row, one line of its history, the receiver asked again only where more is asked."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from datetime import timedelta

import pytest

from provisioning.errors import Conflict, InvalidInput, NotPermitted, NotVisible, StaleState
from provisioning.models import AuditEvent, LedgerEntry, PremiumRequest
from provisioning.pipeline.admission import Admitted, CounterOffer, Refused, to_json
from provisioning.services import clock, decisions, requests
from provisioning.services.requests import SeenOffer
from tests.services.in_threads import at_once
from tests.services.requests.sixnet import (
    ASKED,
    GRNET,
    admitted,
    agreed,
    change_link,
    grnet,
    hours,
    import_sixnet,
    janet,
    noc,
    person,
    submitted,
)

TOO_MUCH = 8_000_000


def offers(request: PremiumRequest) -> dict[str, CounterOffer]:
    verdict = decisions.evidence(request=request)
    assert isinstance(verdict, Refused)
    return {offer.kind: offer for offer in verdict.counter_offers}


def seen(offer: CounterOffer) -> SeenOffer:
    return SeenOffer(offer.rate_bps, offer.start, offer.end)


@pytest.mark.usefixtures("six")
class TestWhatIf:
    def test_it_is_the_decision_of_a_request_and_writes_nothing(self) -> None:
        admitted(rate=6_000_000, start=hours(2), end=hours(4))
        rows = (PremiumRequest.objects.count(), AuditEvent.objects.count(), LedgerEntry.objects.count())
        data = replace(ASKED, start=hours(1), end=hours(5))
        tried = requests.try_out(actor=janet(), data=data)
        assert isinstance(tried.verdict, Refused)
        assert (
            PremiumRequest.objects.count(),
            AuditEvent.objects.count(),
            LedgerEntry.objects.count(),
        ) == rows
        real = decisions.evidence(request=requests.submit(actor=janet(), data=data)[0])
        told, real_told = to_json(tried.evidence), to_json(real)
        assert told | {"warnings": []} == real_told | {"warnings": []}

    def test_both_ways_are_judged_together_and_shown_together(self) -> None:
        tried = requests.try_out(actor=janet(), data=replace(ASKED, direction="both"))
        assert isinstance(tried.evidence, Admitted)
        assert len(tried.asked) == 2 and len(tried.evidence.evidence) == 10
        assert tried.topology > 0

    def test_who_may_not_ask_may_not_try(self) -> None:
        with pytest.raises(NotPermitted):
            requests.try_out(actor=person("dieter", nrens=("DFN",)), data=ASKED)


@pytest.mark.usefixtures("six")
class TestTaking:
    def test_a_lower_rate_keeps_the_answer_and_the_number(self) -> None:
        request = agreed(rate=TOO_MUCH, start=hours(1), end=hours(3))
        before = AuditEvent.objects.count()
        requests.take_offer(actor=janet(), request=request, kind="lower-rate")
        assert (request.state, request.rate_bps, request.consent) == ("SUBMITTED", 7_729_000, "given")
        assert PremiumRequest.objects.count() == 1
        (event,) = AuditEvent.objects.filter(action="request.offer-taken")
        assert AuditEvent.objects.count() == before + 1
        assert (event.before, event.after) == ({"rate_bps": TOO_MUCH}, {"rate_bps": 7_729_000})
        assert isinstance(decisions.admit(actor=noc(), request=request, reason="fits now"), Admitted)

    def test_another_window_is_asked_of_the_receiver_again(self) -> None:
        admitted(rate=6_000_000, start=hours(1), end=hours(3))
        request = agreed(rate=2_000_000, start=hours(2), end=hours(4))
        later = offers(request)["later-start"]
        requests.take_offer(actor=janet(), request=request, kind="later-start", seen=seen(later))
        assert (request.start, request.end, request.consent) == (later.start, later.end, "pending")
        assert request.consent_by is None
        with pytest.raises(Conflict, match="GRNET has not agreed yet"):
            decisions.admit(actor=noc(), request=request, reason="too soon")

    def test_a_part_of_the_window_is_not(self) -> None:
        admitted(rate=6_000_000, start=hours(2), end=hours(3))
        request = agreed(rate=2_000_000, start=hours(1), end=hours(4))
        requests.take_offer(actor=janet(), request=request, kind="shorter-window")
        assert (request.consent, request.end) == ("given", PremiumRequest.objects.earliest("pk").start)

    def test_what_was_refused_asks_again_under_its_number(self) -> None:
        request = agreed(rate=TOO_MUCH, flow_label=77)
        decisions.refuse(actor=noc(), request=request, reason="too much")
        requests.take_offer(actor=janet(), request=request, kind="lower-rate")
        assert (request.state, request.decided_by, request.decision_reason, request.evidence) == (
            "SUBMITTED", None, "", None,
        )  # fmt: skip
        with pytest.raises(InvalidInput, match="in use"):
            submitted(flow_label=77)
        assert isinstance(decisions.admit(actor=noc(), request=request, reason="fits now"), Admitted)

    def test_both_ways_change_together(self) -> None:
        out, back = requests.submit(actor=janet(), data=replace(ASKED, direction="both", rate=TOO_MUCH))
        requests.consent(actor=grnet(), request=out, agree=True)
        requests.take_offer(actor=janet(), request=back, kind="lower-rate")
        assert set(PremiumRequest.objects.values_list("rate_bps", "consent")) == {(7_729_000, "given")}

    def test_a_declined_one_is_asked_again_and_a_standing_answer_stays(self) -> None:
        request = submitted(rate=TOO_MUCH)
        requests.consent(actor=grnet(), request=request, agree=False, reason="too much for us")
        requests.take_offer(actor=janet(), request=request, kind="lower-rate")
        assert request.consent == "pending"
        change_link(GRNET, standing_consent=True)
        admitted_from_now = submitted(rate=TOO_MUCH)
        requests.take_offer(actor=janet(), request=admitted_from_now, kind="lower-rate")
        assert admitted_from_now.consent == "standing"

    def test_what_was_to_begin_meanwhile_begins_now(self) -> None:
        request = agreed(rate=TOO_MUCH, end=hours(3))
        passed = clock.now() - timedelta(minutes=2)
        PremiumRequest.objects.filter(pk=request.pk).update(start=passed)
        request.refresh_from_db()
        requests.take_offer(
            actor=janet(), request=request, kind="lower-rate", seen=SeenOffer(7_729_000, passed, request.end)
        )
        assert request.start > passed

    def test_whoever_takes_it_does_not_decide_it(self) -> None:
        request = agreed(rate=TOO_MUCH)
        requests.take_offer(actor=noc("niels"), request=request, kind="lower-rate")
        with pytest.raises(NotPermitted, match="submitted by you"):
            decisions.admit(actor=noc("niels"), request=request, reason="mine")
        assert isinstance(decisions.admit(actor=noc("nora"), request=request, reason="not mine"), Admitted)

    def test_what_is_no_offer_is_refused_and_changes_nothing(self) -> None:
        request = agreed(rate=TOO_MUCH, start=hours(1), end=hours(3))
        start, end = request.start, request.end
        cases: list[tuple[str, SeenOffer | None, type[Exception]]] = [
            ("cheaper", None, InvalidInput),
            ("later-start", None, InvalidInput),
            ("lower-rate", SeenOffer(9_000_000, start, end), InvalidInput),
            ("lower-rate", SeenOffer(1_000_000, start, None), InvalidInput),
            ("shorter-window", SeenOffer(TOO_MUCH, start - timedelta(hours=1), end), InvalidInput),
            ("lower-rate", SeenOffer(TOO_MUCH, start, end), StaleState),
            ("lower-rate", SeenOffer(7_800_000, start, end), Conflict),
        ]
        for kind, terms, error in cases:
            with pytest.raises(error):
                requests.take_offer(actor=janet(), request=request, kind=kind, seen=terms)
        with pytest.raises(NotPermitted):
            requests.take_offer(actor=grnet(), request=request, kind="lower-rate")
        with pytest.raises(NotVisible):
            requests.take_offer(actor=person("dieter", nrens=("DFN",)), request=request, kind="lower-rate")
        request.refresh_from_db()
        assert (request.rate_bps, request.consent) == (TOO_MUCH, "given")
        fitting = agreed()
        with pytest.raises(StaleState, match="fits as it is"):
            requests.take_offer(actor=janet(), request=fitting, kind="lower-rate")
        done = admitted(rate=1_000_000)
        with pytest.raises(StaleState, match="ADMITTED"):
            requests.take_offer(actor=janet(), request=done, kind="lower-rate")


@pytest.mark.django_db(transaction=True)
def test_an_offer_taken_twice_at_once_is_taken_once(transactional_db: None) -> None:
    import_sixnet()
    actor = janet()

    def take(row: PremiumRequest) -> Callable[[], PremiumRequest]:
        return lambda: requests.take_offer(actor=actor, request=row, kind="lower-rate")

    for _ in range(5):
        request = agreed(rate=TOO_MUCH)

        said = at_once(*(take(PremiumRequest.objects.get(pk=request.pk)) for _ in range(3)))
        assert sorted(type(each).__name__ for each in said) == ["PremiumRequest", "StaleState", "StaleState"]
        events = AuditEvent.objects.filter(action="request.offer-taken", object_id=str(request.pk))
        assert events.count() == 1
        request.refresh_from_db()
        assert request.rate_bps == 7_729_000
