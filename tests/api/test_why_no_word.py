"""`changes/ID/approval/`: where an approval is not taken it says why, in every state and to every role."""

from __future__ import annotations

import pytest

from provisioning.models import Change, RouterPush
from tests.api import matrix
from tests.api.conftest import Speaker

pytestmark = pytest.mark.once
made, ids, speakers = matrix.made, matrix.ids, matrix.speakers


@pytest.mark.parametrize(
    "state", ["PLANNED", "APPROVED", "PUSHING", "VERIFIED", "FAILED", "CANCELLED", "STALE"]
)
@pytest.mark.parametrize("role", ["noc", "auditor"])
def test_no_approval_is_refused_without_a_reason(speakers: dict[str, Speaker], role: str, state: str) -> None:
    change = Change.objects.filter(pushes__isnull=False).earliest("pk")
    RouterPush.objects.filter(change=change).update(state=state)
    said = speakers[role].get(f"/api/v1/changes/{change.pk}/approval/")
    assert said["may_approve"] is not bool(said["why_not"]), said
    if role == "auditor":
        assert said["why_not"] == ["Only an approver of the NOC approves a change."], said["why_not"]
    elif state == "VERIFIED":
        assert said["why_not"] == [f"{change.reference} is VERIFIED: only a planned change is approved."]
