"""What changes and requests say of themselves, and to whom."""

from __future__ import annotations

import pytest
from django.contrib.auth.models import User
from django.db import connection
from django.test.utils import CaptureQueriesContext
from django.utils import timezone

from provisioning.models import (
    Approval,
    Change,
    PremiumRequest,
    Reservation,
)
from tests.api.conftest import Speaker
from tests.api.matrix import V1
from tests.api.matrix import ids as ids
from tests.api.matrix import made as made
from tests.api.matrix import speakers as speakers

pytestmark = pytest.mark.once


def test_a_change_says_whose_word_it_has_and_what_it_takes_off(
    speakers: dict[str, Speaker], ids: dict[str, int]
) -> None:
    address = f"{V1}changes/{ids['change']}/"
    change = Change.objects.get(pk=ids["change"])
    change.takes_off, change.base_lines, change.planned_at = [ids["request"]], True, timezone.now()
    change.save()
    noc = User.objects.get(username="the-noc")
    Approval.objects.create(change=change, user=noc, fingerprint="f", reason="read", carried_from=change)
    whole = speakers["auditor"].get(address)
    assert (whole["takes_off"], whole["base_lines"], whole["planning"]) == ([ids["request"]], True, None)
    (given,) = whole["approvals"]
    assert (given["user"], given["reason"], given["carried_from"]) == (noc.username, "read", change.pk)
    assert whole["still_needed"] == [
        "a second member of the NOC has to approve it: it carries lines that no request asked for"
    ]
    seen = speakers["JANET"].get(address)
    assert seen["takes_off"] == [ids["request"]]
    assert {seen[name] for name in ("base_lines", "planning", "approvals", "still_needed")} == {None}


def test_a_change_says_how_far_its_plan_is(speakers: dict[str, Speaker], ids: dict[str, int]) -> None:
    asked_for = {"routers": ["uk6", "gr6", "nl6"], "read": 2}
    Change.objects.filter(pk=ids["change"]).update(asked=asked_for, planned_at=None)
    whole = speakers["noc"].get(f"{V1}changes/{ids['change']}/")
    assert (whole["state"], whole["planning"]) == ("PLANNING", {"read": 2, "routers": 3, "error": ""})
    assert speakers["JANET"].get(f"{V1}changes/{ids['change']}/")["planning"] is None


def test_a_request_says_why_it_waits_and_why_it_was_never_provided(
    speakers: dict[str, Speaker], ids: dict[str, int]
) -> None:
    address = f"{V1}premium-requests/{ids['request']}/"
    assert speakers["JANET"].get(address)["waits_for"] == "GRNET has not answered yet"
    request = PremiumRequest.objects.get(pk=ids["request"])
    held = Reservation.objects.create(
        request=request, granted_bps=1, path=[], waits_for="uk6: DFN's policy-map is in the way"
    )
    Change.objects.all().delete()
    PremiumRequest.objects.filter(pk=request.pk).update(state="ADMITTED")
    assert speakers["noc"].get(address)["waits_for"] == held.waits_for
    for role in ("JANET", "GRNET"):
        told = speakers[role].get(address)["waits_for"]
        assert "the NOC looks into it" in told and "DFN" not in told
    PremiumRequest.objects.filter(pk=request.pk).update(state="NEVER_PROVIDED")
    Reservation.objects.filter(pk=held.pk).update(waits_for="its window is over: DFN was in the way")
    assert speakers["noc"].get(address)["never_provided"] == "its window is over: DFN was in the way"
    assert speakers["JANET"].get(address)["never_provided"] == "its window is over"
    listed = speakers["JANET"].get(f"{V1}premium-requests/?state=NEVER_PROVIDED")
    assert listed["count"] == 1 and listed["results"][0]["waits_for"] is None


def test_a_list_of_requests_says_why_each_waits_in_as_many_questions_for_many(
    speakers: dict[str, Speaker], ids: dict[str, int]
) -> None:
    request = PremiumRequest.objects.get(pk=ids["request"])
    Change.objects.all().delete()
    PremiumRequest.objects.filter(state="ADMITTED").update(state="COMPLETED")
    address = f"{V1}premium-requests/?state=ADMITTED"

    def more(count: int) -> None:
        for _number in range(count):
            other = PremiumRequest.objects.get(pk=request.pk)
            other.pk, other.twin, other.state = None, None, "ADMITTED"
            other.save()
            Reservation.objects.create(
                request=other, granted_bps=1, path=[], waits_for=f"uk6: DFN is in the way of {other.pk}"
            )

    def asked() -> int:
        with CaptureQueriesContext(connection) as captured:
            speakers["noc"].get(address)
        return len(captured)

    more(2)
    asked()
    few = asked()
    more(10)
    assert asked() == few
    told = {row["id"]: row["waits_for"] for row in speakers["noc"].get(address)["results"]}
    assert len(told) == 12
    assert all(f"DFN is in the way of {pk}" in said for pk, said in told.items())
    told = [row["waits_for"] for row in speakers["JANET"].get(address)["results"]]
    assert len(told) == 12 and all("the NOC looks into it" in said and "DFN" not in said for said in told)
