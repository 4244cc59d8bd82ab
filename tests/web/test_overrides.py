"""What a router would probably refuse is shown with its evidence, and goes ahead only with a reason that is kept."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from django.core.management import CommandError, call_command
from django.test import Client

from provisioning.errors import InvalidInput
from provisioning.management import changes_as_text
from provisioning.models import AuditEvent, Change, RouterPush, Via
from provisioning.services import changes, intents, people
from provisioning.services.approval import fingerprint
from tests.plans import replan
from tests.web.text import page_text
from tests.web.world import World

As = Callable[[str], Client]
WHY = "tried on a spare card in the laboratory"
DOUBT = {
    "place": "GigabitEthernet1/0",
    "code": "engine-mqc",
    "severity": "warning",
    "text": "FILTERED-IN is for a card of Engine 6",
    "tag": "L",
    "source": "ios-facts 2.2",
}


@pytest.fixture
def sound(world: World) -> Change:
    """A planned change that is of the scheme, the templates and the intent of now."""
    change = world.changes["planned"]
    names = set(change.pushes.values_list("router__name", flat=True))
    now = intents.wanted_for(change, routers=names)
    Change.objects.filter(pk=change.pk).update(
        scheme_digest=now.scheme_digest, template_digest=now.template_digest, intent_digest=now.digest(names)
    )
    return Change.objects.get(pk=change.pk)


@pytest.fixture
def doubtful(sound: Change) -> Change:
    """One whose router would probably refuse something of it."""
    change = sound
    push = RouterPush.objects.get(change=change)
    replan(push, doubts=[DOUBT])
    return change


def _yes(change: Change, **more: str) -> dict[str, str]:
    return {"reason": "ok", "confirm_gaps": "on", "seen": fingerprint(change), **more}


def test_the_evidence_is_shown_and_a_reason_is_asked_for(doubtful: Change, as_user: As) -> None:
    for path in (f"/changes/{doubtful.pk}/", f"/changes/{doubtful.pk}/approve/"):
        shown = page_text(as_user("niels").get(path))
        assert "A router would probably refuse." in shown
        assert "FILTERED-IN is for a card of Engine 6" in shown
        assert "Evidence (likely): ios-facts 2.2" in shown
    shown = page_text(as_user("niels").post(f"/changes/{doubtful.pk}/approve/", _yes(doubtful)))
    assert "Say why it goes ahead, or do not approve." in shown
    assert Change.objects.get(pk=doubtful.pk).approved_by is None


def test_the_reason_is_kept_with_the_change_and_in_the_audit_trail(doubtful: Change, as_user: As) -> None:
    niels = as_user("niels")
    assert niels.post(f"/changes/{doubtful.pk}/approve/", _yes(doubtful, override=WHY)).status_code == 302
    doubtful.refresh_from_db()
    assert doubtful.override_reason == WHY
    event = AuditEvent.objects.get(action="change.approval")
    assert event.after["override"] == WHY
    assert any("Engine 6 (likely: ios-facts 2.2)" in text for text in event.after["doubts"])
    assert WHY in page_text(niels.get(f"/changes/{doubtful.pk}/"))


def test_where_nothing_is_doubtful_no_reason_is_kept(sound: Change, as_user: As) -> None:
    change = sound
    niels = as_user("niels")
    assert "probably refuse" not in page_text(niels.get(f"/changes/{change.pk}/approve/"))
    assert niels.post(f"/changes/{change.pk}/approve/", _yes(change, override=WHY)).status_code == 302
    assert Change.objects.get(pk=change.pk).override_reason == ""
    assert "override" not in AuditEvent.objects.get(action="change.approval").after
    assert AuditEvent.objects.get(action="change.approved").after["override"] == ""


@pytest.mark.parametrize("given", ["", "  "])
def test_no_way_in_approves_a_doubt_in_silence(doubtful: Change, given: str) -> None:
    with pytest.raises(InvalidInput, match=r"probably refuse: .*Engine 6") as caught:
        changes.approve(
            actor=people.actor_named("niels", via=Via.CLI), change=doubtful, confirm_gaps=True, override=given
        )
    assert caught.value.field == "override"


def test_a_terminal_shows_it_and_takes_the_reason(doubtful: Change) -> None:
    text = changes_as_text.plan(doubtful)
    assert (
        "  DOUBT     GigabitEthernet1/0: FILTERED-IN is for a card of Engine 6 (likely: ios-facts 2.2)"
        in text
    )
    assert text.splitlines()[-1].endswith("--confirm-gaps --override WHY") or "--override WHY" in text
    with pytest.raises(CommandError, match="probably refuse"):
        call_command("approve", str(doubtful.pk), "--as", "niels", "--confirm-gaps")
    call_command("approve", str(doubtful.pk), "--as", "niels", "--confirm-gaps", "--override", WHY)
    doubtful.refresh_from_db()
    assert f"  OVERRIDE  {WHY}" in changes_as_text.plan(doubtful)
    assert changes_as_text.as_json(doubtful)["override_reason"] == WHY
    assert changes_as_text.as_json(doubtful)["pushes"][0]["doubts"] == [DOUBT]
