"""What a request may say; everything that is wrong is said at once and nothing is stored."""

from __future__ import annotations

from dataclasses import replace
from datetime import datetime, timedelta
from typing import Any

import pytest
from django.utils import timezone

from provisioning.errors import InvalidFields, InvalidInput, NotPermitted
from provisioning.models import SYSTEM, AuditEvent, Consent, PremiumRequest, Role
from provisioning.services import requests
from tests.services.requests.sixnet import (
    ASKED,
    DFN,
    GRNET,
    JANET,
    SURFNET,
    change_link,
    grnet,
    hours,
    janet,
    noc,
    person,
    submitted,
)

pytestmark = pytest.mark.usefixtures("six")


def test_one_way_is_one_row_that_waits_for_the_receiver() -> None:
    request = submitted(flow_label=77, end=hours(5))
    assert (request.state, request.consent, request.twin) == ("SUBMITTED", Consent.PENDING, None)
    assert (request.nren.name, request.receiving_nren.name if request.receiving_nren else None) == (
        "JANET",
        "GRNET",
    )
    assert (request.rate_bps, request.flow_label, request.service_class) == (2_000_000, 77, "ip-premium")
    assert request.source_prefixes == ["2001:630:8::/48"]
    assert abs(request.start - timezone.now()) < timedelta(minutes=1)
    event = AuditEvent.objects.get(action="request.submit")
    assert (event.object_id, event.actor, event.reason) == (str(request.pk), "jane", "a concert")
    assert set(event.nren_ids) == {request.nren_id, request.receiving_nren_id}


def test_both_ways_are_two_rows_joined_that_belong_to_who_asked() -> None:
    out, back = requests.submit(actor=janet(), data=replace(ASKED, direction="both", flow_label=9))
    assert (out.twin_id, back.twin_id) == (back.pk, out.pk)
    assert (out.source_link.name, back.source_link.name) == (JANET, GRNET)
    assert (back.source_prefixes, back.destination_prefixes) == (
        out.destination_prefixes,
        out.source_prefixes,
    )
    assert {row.nren.name for row in (out, back)} == {"JANET"}
    assert {row.receiving_nren.name for row in (out, back) if row.receiving_nren} == {"GRNET"}
    assert (out.flow_label, back.flow_label) == (9, None)


def test_a_rate_may_be_written_in_words_and_a_class_by_its_abbreviation() -> None:
    request = submitted(rate="7.75 Mbit/s", service_class="IPP")
    assert (request.rate_bps, request.service_class) == (7_750_000, "ip-premium")


def test_standing_consent_is_recorded_with_its_time() -> None:
    change_link(GRNET, standing_consent=True)
    request = submitted()
    assert request.consent == Consent.STANDING
    assert request.consent_at is not None


def test_host_to_any_warns_and_a_flow_label_on_a_trusted_link_too() -> None:
    assert submitted().warnings == []
    assert len(submitted(destination_prefixes=()).warnings) == 1
    assert len(submitted(destination_prefixes=("::/0",)).warnings) == 1
    assert "recorded and not enforced" in submitted(flow_label=5).warnings[0]


PAST = datetime.fromisoformat("2005-01-31T00:00:00+00:00")


@pytest.mark.parametrize(
    ("changes", "field"),
    [
        ({"rate": 0}, "rate"),
        ({"rate": -1}, "rate"),
        ({"rate": 10**18}, "rate"),
        ({"rate": 10**5000}, "rate"),
        ({"rate": 2.5}, "rate"),
        ({"rate": "2M\n!"}, "rate"),
        ({"rate": "9" * 10_000_000}, "rate"),
        ({"source_link": "JANET@uk6:POS9/9"}, "source_link"),
        ({"source_link": ""}, "source_link"),
        ({"source_link": "x" * 10_000_000}, "source_link"),
        ({"source_link": "JANET\x00"}, "source_link"),
        ({"destination_link": None}, "destination_link"),
        ({"destination_link": 7}, "destination_link"),
        ({"destination_link": JANET, "destination_prefixes": ("2001:630:9::/48",)}, "destination_link"),
        ({"source_prefixes": ("2001:648::/48",)}, "source_prefixes"),
        ({"source_prefixes": ("2001:630::/31",)}, "source_prefixes"),
        ({"source_prefixes": ("::/0",)}, "source_prefixes"),
        ({"source_prefixes": ("2001:630::1/48",)}, "source_prefixes"),
        ({"source_prefixes": ("2001:630::/48\n!",)}, "source_prefixes"),
        ({"source_prefixes": ()}, "source_prefixes"),
        ({"source_prefixes": "2001:630::/48"}, "source_prefixes"),
        ({"source_prefixes": tuple(f"2001:630:{n:x}::/48" for n in range(65))}, "source_prefixes"),
        ({"destination_prefixes": ("2001:630::/48",)}, "destination_prefixes"),
        ({"destination_prefixes": ("192.0.2.0/24",)}, "destination_prefixes"),
        ({"direction": "both", "destination_prefixes": ()}, "destination_prefixes"),
        ({"direction": "both", "destination_prefixes": ("::/0",)}, "destination_prefixes"),
        ({"direction": "sideways"}, "direction"),
        ({"start": PAST}, "start"),
        ({"end": PAST}, "end"),
        ({"start": PAST, "end": PAST}, "end"),
        ({"start": datetime(2030, 1, 1)}, "start"),
        ({"start": "2030-01-01"}, "start"),
        ({"end": datetime(2030, 1, 1)}, "end"),
        ({"bucket_bytes": 1500}, "bucket_bytes"),
        ({"bucket_bytes": 0}, "bucket_bytes"),
        ({"max_packet_bytes": 0}, "max_packet_bytes"),
        ({"flow_label": 0}, "flow_label"),
        ({"flow_label": 2**20}, "flow_label"),
        ({"service_class": "gold"}, "service_class"),
        ({"service_class": "LBE"}, "service_class"),
        ({"contact": ""}, "contact"),
        ({"contact": "a\nb"}, "contact"),
        ({"contact": "a!b"}, "contact"),
        ({"contact": "a\x07b"}, "contact"),
        ({"contact": "x" * 10_000_000}, "contact"),
        ({"reason": "x" * 2001}, "reason"),
        ({"reason": "x" * 10_000_000}, "reason"),
        ({"reason": "a\x00b"}, "reason"),
        ({"reason": "a\x1b[2Jb"}, "reason"),
        ({"reason": "a\rb"}, "reason"),
        ({"reason": "a\u202eb"}, "reason"),
    ],
)
def test_what_is_wrong_names_its_field_and_stores_nothing(changes: dict[str, Any], field: str) -> None:
    with pytest.raises(InvalidFields) as refused:
        submitted(**changes)
    assert [error.field for error in refused.value.errors] == [field]
    assert len(str(refused.value)) < 1000
    assert PremiumRequest.objects.count() == 0
    assert not AuditEvent.objects.filter(action="request.submit").exists()


def test_end_before_start_names_the_end() -> None:
    with pytest.raises(InvalidFields) as refused:
        submitted(start=hours(2), end=hours(1))
    assert [error.field for error in refused.value.errors] == ["end"]


def test_everything_that_is_wrong_is_said_at_once() -> None:
    with pytest.raises(InvalidFields) as refused:
        submitted(
            rate=0,
            end=PAST,
            contact="",
            bucket_bytes=1,
            source_prefixes=("::/0",),
            destination_link="nowhere",
        )
    assert {error.field for error in refused.value.errors} == {
        "rate", "end", "contact", "bucket_bytes", "source_prefixes", "destination_link",
    }  # fmt: skip


def test_a_start_a_little_in_the_past_is_taken_and_more_is_refused_in_words() -> None:
    assert submitted(start=timezone.now() - timedelta(minutes=4)).pk
    with pytest.raises(InvalidFields, match="more than 5 minutes in the past"):
        submitted(start=timezone.now() - timedelta(minutes=6))


def test_a_reason_may_have_lines_and_an_exclamation_mark_because_no_router_sees_it() -> None:
    assert (
        submitted(reason="Thanks!\r\nIt is\ta concert".replace("\t", " ")).reason
        == "Thanks!\nIt is a concert"
    )


def test_a_non_participant_source_is_refused_with_its_cause() -> None:
    surfnet = person("sam", nrens=("SURFnet",))
    data = replace(ASKED, source_link=SURFNET, source_prefixes=("2001:610:1::/48",))
    with pytest.raises(InvalidFields) as refused:
        requests.submit(actor=surfnet, data=data)
    assert [error.field for error in refused.value.errors] == ["source_link"]
    assert refused.value.errors[0].details == {"cause": "non-participant"}
    change_link(SURFNET, case="filtered", standing=False)
    assert requests.submit(actor=surfnet, data=data)[0].source_link.name == SURFNET


def test_towards_a_non_participant_is_fine_but_not_both_ways() -> None:
    changes: dict[str, Any] = {"destination_link": SURFNET, "destination_prefixes": ("2001:610:1::/48",)}
    assert submitted(**changes).pk
    with pytest.raises(InvalidFields) as refused:
        submitted(**changes, direction="both")
    assert [error.field for error in refused.value.errors] == ["destination_link"]


def test_only_the_source_nren_or_the_noc_may_ask() -> None:
    for stranger in (grnet(), person("nobody"), person("audrey", Role.AUDITOR), SYSTEM):
        with pytest.raises(NotPermitted):
            requests.submit(actor=stranger, data=ASKED)
    assert requests.submit(actor=noc(), data=ASKED)[0].nren.name == "JANET"
    assert PremiumRequest.objects.count() == 1


def test_within_one_nren_nobody_has_to_agree() -> None:
    change_link(DFN, nren_id=janet_id())
    data = replace(ASKED, destination_link=DFN, destination_prefixes=("2001:630:9::/48",))
    assert requests.submit(actor=janet(), data=data)[0].consent == Consent.NOT_NEEDED


def janet_id() -> int:
    (nren,) = janet().nren_ids
    return nren


def test_the_errors_are_one_typed_error() -> None:
    with pytest.raises(InvalidInput):
        submitted(rate=0)
