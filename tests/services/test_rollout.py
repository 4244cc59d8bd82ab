"""The baseline, from bare routers to verified ones, over SSH."""

from __future__ import annotations

import json

import pytest

from provisioning.models import (
    AuditEvent,
    ConfigSnapshot,
    Credential,
    Ownership,
    RouterPush,
    RouterSync,
    Transcript,
)
from provisioning.selectors.plans import plan_of
from provisioning.services import audit, pushing
from tests.services.backbone import Backbone

pytestmark = pytest.mark.once


def test_the_baseline_goes_on_edges_first_and_is_believed_only_when_read_back(backbone: Backbone) -> None:
    change = backbone.plan()
    states = backbone.states(change)
    assert set(states) == {(name, phase) for name in ("gr6", "nl6", "uk6") for phase in ("edges", "core-on")}
    assert set(states.values()) == {"PLANNED"}

    backbone.push(backbone.approve(change))
    pushes = list(RouterPush.objects.filter(change=change).select_related("router"))
    assert {push.state for push in pushes} == {"VERIFIED"}, [(str(push), push.error) for push in pushes]
    change.refresh_from_db()
    assert change.finished_at is not None

    # Edges first: the last edge was verified before the first core queue was touched.
    edges = max(push.finished_at for push in pushes if push.phase == "edges")
    core = min(push.started_at for push in pushes if push.phase == "core-on")
    assert edges < core

    # The routers themselves say what is bound, and that it survives a reload.
    assert backbone.bound("uk6") == {("POS1/0", "input", "TRUSTED-IN"), ("POS2/0", "output", "my_policy")}
    assert backbone.bound("nl6") == {
        ("GigabitEthernet1/0", "input", "NON-PARTICIPANT"),
        ("POS3/0", "input", "NON-PARTICIPANT"),
        ("POS2/0", "output", "my_policy"),
        ("POS2/1", "output", "my_policy"),
    }
    # Exactly the approved bytes were typed, and nothing else.
    for name in ("uk6", "nl6", "gr6"):
        approved = [
            line.text
            for push in sorted(pushes, key=lambda each: each.position)
            if push.router.name == name
            for line in plan_of(push).commands
        ]
        assert [line for line in backbone.typed(name) if line != "end"] == approved

    assert all(push.saved for push in pushes)
    backbone.call("reload", "uk6")
    assert ("POS1/0", "input", "TRUSTED-IN") in backbone.bound("uk6")

    assert set(RouterSync.objects.values_list("state", flat=True)) == {"in-sync"}
    owned = set(Ownership.objects.filter(router__name="uk6").values_list("kind", "name"))
    assert {("class-map", "EF"), ("policy-map", "TRUSTED-IN"), ("policy-map", "my_policy")} <= owned
    assert audit.verify_chain().intact

    # Planning again finds nothing, and nobody has to approve that.
    again = backbone.plan()
    assert again.finished_at is not None
    assert set(backbone.states(again).values()) == {"VERIFIED"}


def test_no_secret_is_stored_with_what_was_read_and_said(backbone: Backbone) -> None:
    backbone.push(backbone.approve(backbone.plan(routers=["uk6"])))
    credential = Credential.objects.get(router__name="uk6")
    community = next(
        line.split()[2]
        for line in backbone.running("uk6").splitlines()
        if line.startswith("snmp-server community")
    )
    stored = json.dumps(
        [
            list(Transcript.objects.values_list("lines", flat=True)),
            list(ConfigSnapshot.objects.values_list("text", flat=True)),
            list(AuditEvent.objects.values_list("before", "after", "reason")),
            list(RouterPush.objects.values_list("stored_plan__content", "error", "counters")),
        ]
    )
    assert "policy-map TRUSTED-IN" in stored
    for secret in (credential.password, credential.enable, community):
        assert secret
        assert secret not in stored
    assert Transcript.objects.filter(push__router__name="uk6").exists()


def test_a_change_is_closed_with_the_last_reading_even_if_nothing_after_it_happens(
    backbone: Backbone, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A worker that was killed right after VERIFIED left its change open for ever."""
    mine = RouterPush.objects.filter(follow_up_due=True)
    monkeypatch.setattr(pushing.followed, "follow_up", lambda row: mine.update(follow_up_due=False))
    change = backbone.plan(routers=["uk6"])
    backbone.push(backbone.approve(change))
    assert set(RouterPush.objects.filter(change=change).values_list("state", flat=True)) == {"VERIFIED"}
    change.refresh_from_db()
    assert change.finished_at is not None
