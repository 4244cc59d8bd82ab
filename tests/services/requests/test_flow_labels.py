"""Flow labels of D4.4.2v2 section 6: drawn, chosen, kept apart, not used again too soon, and warned of."""

from __future__ import annotations

from datetime import timedelta

import pytest
import time_machine
from django.db import IntegrityError, transaction
from django.utils import timezone

from inventory.models import AccessCase
from provisioning.errors import Conflict, InvalidFields, InvalidInput, NotPermitted, NotVisible, StaleState
from provisioning.models import AuditEvent, FlowLabelUse, PremiumRequest
from provisioning.pipeline.states import RequestState
from provisioning.services import charging, decisions, flow_labels, requests
from provisioning.services import clock as database_clock
from tests.services.requests.sixnet import (
    JANET,
    admitted,
    agreed,
    change_link,
    grnet,
    janet,
    noc,
    person,
    submitted,
)

pytestmark = pytest.mark.usefixtures("six")


def picking(*labels: int):  # type: ignore[no-untyped-def]
    """A generator that picks these, one after the other."""
    waiting = iter(labels)
    return lambda _most: next(waiting) - 1


def seen_gone(request: PremiumRequest) -> None:
    """As when the routers were read without it."""
    PremiumRequest.objects.filter(pk=request.pk).update(state=RequestState.COMPLETED)
    charging.release_reservation(request.pk, now=timezone.now())


def test_a_drawn_label_has_twenty_bits_and_is_not_zero() -> None:
    request = flow_labels.draw(actor=janet(), request=submitted())
    assert request.flow_label is not None and 1 <= request.flow_label <= 0xFFFFF
    assert FlowLabelUse.objects.get(request=request).label == request.flow_label
    event = AuditEvent.objects.get(action="request.flow-label")
    assert (event.object_id, event.actor) == (str(request.pk), "jane")
    lowest = flow_labels.draw(actor=janet(), request=submitted(), pick=lambda _most: 0)
    highest = flow_labels.draw(actor=janet(), request=submitted(), pick=lambda most: most - 1)
    assert (lowest.flow_label, highest.flow_label) == (1, 0xFFFFF)


def test_a_label_in_use_is_not_drawn_and_cannot_be_chosen() -> None:
    submitted(flow_label=7)
    assert flow_labels.draw(actor=janet(), request=submitted(), pick=picking(7, 7, 8)).flow_label == 8
    with pytest.raises(InvalidInput, match="the flow label 8 is in use"):
        submitted(flow_label=8)


def test_a_label_is_not_used_again_within_120_seconds_of_the_end(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(database_clock, "now", timezone.now)  # the database's clock cannot be set
    request = admitted(flow_label=7)
    requests.withdraw(actor=janet(), request=request, reason="over")
    with pytest.raises(InvalidInput, match="in use"):
        submitted(flow_label=7)  # withdrawn, and perhaps still on a router
    with time_machine.travel(timezone.now(), tick=False) as clock:
        seen_gone(request)
        clock.shift(timedelta(seconds=119, microseconds=999_999))
        with pytest.raises(InvalidInput, match="within the last 120 seconds"):
            submitted(flow_label=7)
        assert flow_labels.draw(actor=janet(), request=submitted(), pick=picking(7, 9)).flow_label == 9
        clock.shift(timedelta(microseconds=1))
        assert submitted(flow_label=7).flow_label == 7


def test_a_request_that_was_never_granted_was_no_flow() -> None:
    first = submitted(flow_label=7)
    decisions.refuse(actor=noc(), request=agreed(), reason="no")
    requests.withdraw(actor=janet(), request=first, reason="another time")
    assert submitted(flow_label=7).flow_label == 7


def test_nrens_do_not_share_their_labels() -> None:
    submitted(flow_label=7)
    other = person("surf", nrens=("SURFnet",))
    row = PremiumRequest.objects.get(pk=submitted().pk)
    with pytest.raises(NotVisible):
        flow_labels.draw(actor=other, request=row)
    with pytest.raises(NotPermitted):
        flow_labels.draw(actor=grnet(), request=row)


def test_one_label_a_request_and_only_while_it_is_undecided() -> None:
    labelled = flow_labels.draw(actor=noc(), request=submitted())
    with pytest.raises(Conflict, match="has the flow label"):
        flow_labels.draw(actor=janet(), request=labelled)
    with pytest.raises(StaleState):
        flow_labels.draw(actor=janet(), request=admitted())


def test_ipv4_has_none() -> None:
    request = submitted()
    PremiumRequest.objects.filter(pk=request.pk).update(
        source_prefixes=["192.0.2.0/24"], destination_prefixes=["198.51.100.0/24"]
    )
    with pytest.raises(InvalidInput, match="IPv4"):
        flow_labels.draw(actor=janet(), request=request)


def test_a_label_needs_a_destination_beside_it() -> None:
    for destinations in ((), ("::/0",)):
        with pytest.raises(InvalidFields, match="together with source and destination"):
            submitted(flow_label=7, destination_prefixes=destinations)
        with pytest.raises(InvalidInput, match="together with source and destination"):
            flow_labels.draw(actor=janet(), request=submitted(destination_prefixes=destinations))


def test_a_filtered_link_marks_by_label_only_where_it_filters_sources() -> None:
    change_link(JANET, case=AccessCase.FILTERED)
    with pytest.raises(InvalidFields, match="not known to filter source addresses"):
        submitted(flow_label=7)
    with pytest.raises(InvalidInput, match="not known to filter source addresses"):
        flow_labels.draw(actor=janet(), request=submitted())
    change_link(JANET, source_filter="strict uRPF, seen in the running-config")
    request = submitted(flow_label=7)
    assert [text for text in request.warnings if "protects nothing" in text]


def test_theft_of_service_is_warned_of_once() -> None:
    chosen, drawn = submitted(flow_label=7), flow_labels.draw(actor=janet(), request=submitted())
    for request in (chosen, drawn):
        assert sum("protects nothing" in text for text in request.warnings) == 1
        assert sum("recorded and not enforced" in text for text in request.warnings) == 1


def test_the_database_itself_refuses_a_label_twice_and_one_of_21_bits() -> None:
    first, second = submitted(flow_label=7), submitted()
    for label in (7, 0, 2**20):
        with pytest.raises(IntegrityError), transaction.atomic():
            FlowLabelUse.objects.create(nren=first.nren, request=second, label=label)
