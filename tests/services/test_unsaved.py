"""Whose unsaved lines are whose when a push ends, and that nobody else's are saved with ours without a word (over SSH)."""

from __future__ import annotations

import json
from collections.abc import Callable

import pytest
from django.core.management.base import CommandError

from inventory.models import Router
from provisioning.drivers.base import RouterDriver
from provisioning.errors import SaveRefused
from provisioning.models import AuditEvent, Change, RouterPush, RouterSync, Transcript
from provisioning.pipeline.change import ChangePlan
from provisioning.pipeline.counters import InterfacePolicyCounters
from provisioning.services import leases, saving, verifying
from provisioning.services.pushing import course, recording
from tests.services.backbone import Backbone
from tests.services.test_broken_pushes import without_blocks
from tests.services.test_commands import say

pytestmark = pytest.mark.once

BUSY = "startup-config file open failed (Device or resource busy)"
FOREIGN = ("interface POS2/0", "description typed during the push")


def edges_of(change: Change, router: str = "uk6") -> RouterPush:
    return RouterPush.objects.get(change=change, router__name=router, phase="edges")


def startup(backbone: Backbone, router: str = "uk6") -> str:
    return str(backbone.call("state", router)["startup"])


def at_line(monkeypatch: pytest.MonkeyPatch, number: int, then: Callable[[], None]) -> None:
    """Have something happen once, right after this line of ours was answered."""
    counted, done = recording.progress, []

    def progress(push: RouterPush, lease: object, line: int) -> None:
        counted(push, lease, line)  # type: ignore[arg-type]
        if line >= number and not done:
            done.append(line)
            then()

    monkeypatch.setattr(recording, "progress", progress)


def ready(backbone: Backbone, **options: object) -> Change:
    return backbone.approve(backbone.plan(routers=["uk6"]), **options)


def test_what_somebody_types_during_the_push_is_not_saved_with_ours(
    backbone: Backbone, monkeypatch: pytest.MonkeyPatch
) -> None:
    """S1: a description typed after our ninth line."""
    change = ready(backbone)
    before = startup(backbone)
    at_line(monkeypatch, 9, lambda: backbone.console("uk6", *FOREIGN))
    backbone.push(change)
    push = edges_of(change)
    assert push.state == "VERIFIED"
    assert push.saved is False, push.verification
    assert startup(backbone) == before, "all or nothing: ours stay unsaved too"
    said = push.verification["save"]
    assert said.startswith("NOT saved: ") and "typed meanwhile" in said, said
    whose = push.verification["unsaved"]
    assert [line[0] for line in whose["meanwhile"]] == ["-", "+"], "what was there, and what was typed"
    assert whose["meanwhile"][1] == f"+ {' / '.join(FOREIGN)}"
    assert whose["before"] == []
    assert any("service-policy input TRUSTED-IN" in line for line in whose["ours"])
    assert whose["since"]
    kept = RouterSync.objects.get(router__name="uk6").unsaved
    assert (kept["foreign"], kept["ours"]) == (whose["meanwhile"], whose["ours"])
    assert list(kept["since"]) == whose["meanwhile"]


def test_what_is_typed_while_counters_are_read_is_not_saved_either(
    backbone: Backbone, monkeypatch: pytest.MonkeyPatch
) -> None:
    """On a large router `show policy-map interface` takes long: the last look comes after it, right before saving."""
    change = ready(backbone)
    before, read = startup(backbone), course.counted

    def counted(driver: RouterDriver, plan: ChangePlan) -> tuple[InterfacePolicyCounters, ...]:
        shown = read(driver, plan)
        backbone.console("uk6", *FOREIGN)
        return shown

    monkeypatch.setattr(course, "counted", counted)
    backbone.push(change)
    push = edges_of(change)
    assert (push.state, push.saved) == ("VERIFIED", False), push.verification
    assert startup(backbone) == before


def test_agreeing_to_what_was_shown_is_not_agreeing_to_what_is_typed_later(
    backbone: Backbone, monkeypatch: pytest.MonkeyPatch
) -> None:
    backbone.console("uk6", "interface POS1/0", "description typed at the console")
    change = ready(backbone, save_others_edits=True)
    before = startup(backbone)
    at_line(monkeypatch, 9, lambda: backbone.console("uk6", *FOREIGN))
    backbone.push(change)
    push = edges_of(change)
    assert (push.state, push.saved) == ("VERIFIED", False)
    assert "not the ones shown" in push.verification["save"]
    whose = push.verification["unsaved"]
    assert (len(whose["before"]), len(whose["meanwhile"])) == (2, 2)
    assert startup(backbone) == before


def test_lines_like_ours_at_a_place_where_we_typed_nothing_are_foreign(backbone: Backbone) -> None:
    backbone.console("uk6", "policy-map THEIRS", "class class-default", "set dscp default")
    backbone.console("uk6", "interface POS2/0", "service-policy input THEIRS")
    change = ready(backbone)
    assert edges_of(change).unsaved, "shown for approval"
    backbone.push(change)
    push = edges_of(change)
    assert push.saved is False
    assert {line.split(" / ")[0] for line in push.verification["unsaved"]["before"]} == {
        "+ policy-map THEIRS",
        "+ interface POS2/0",
    }


def test_our_own_lines_after_an_unknown_are_never_foreign(
    backbone: Backbone, monkeypatch: pytest.MonkeyPatch
) -> None:
    """S4: what the broken push left is finished by a repair, and saved with it."""
    without_blocks(monkeypatch)
    change = ready(backbone)
    backbone.fault("uk6", "ignore", match="^class LBE")  # the police line after it lands in class EF
    backbone.push(change)
    assert edges_of(change).state == "UNKNOWN"
    backbone.clear()
    again = backbone.plan(routers=["uk6"], kind="repair")
    backbone.push(backbone.approve(again))
    push = edges_of(again)
    assert push.state == "VERIFIED"
    assert push.saved is True, push.verification
    assert "service-policy input TRUSTED-IN" in startup(backbone)


def test_a_plan_with_nothing_to_send_leaves_our_lines_to_be_saved(backbone: Backbone) -> None:
    """S4: the next plan has nothing to send; what is unsaved is ours, and `save` reaches it."""
    change = ready(backbone)
    backbone.fault("uk6", "write-fails", message=BUSY)
    backbone.push(change)
    backbone.clear()
    again = backbone.plan(routers=["uk6"])
    assert not again.pushes.exists()
    push = edges_of(change)
    assert "TRUSTED-IN" not in startup(backbone)
    verifying.verify_routers(names=["uk6"])
    kept = RouterSync.objects.get(router__name="uk6").unsaved
    assert kept["foreign"] == [] and kept["ours"]
    seen = saving.look(actor=backbone.approver, router=push.router)
    done = saving.save_router(
        actor=backbone.approver, router=push.router, seen=seen.digest, reason="NVRAM is free now"
    )
    assert done.saved and done.meanwhile == ()
    assert "service-policy input TRUSTED-IN" in startup(backbone)
    assert RouterSync.objects.get(router__name="uk6").unsaved == {}


def test_a_refused_save_is_tried_again_by_a_person(backbone: Backbone) -> None:
    change = ready(backbone)
    backbone.fault("uk6", "write-fails", message=BUSY)
    backbone.push(change)
    push = edges_of(change)
    assert (push.state, push.saved) == ("VERIFIED", False)
    assert "refused `write memory`" in push.verification["save"]
    seen = saving.look(actor=backbone.approver, router=push.router)
    assert seen.foreign == () and seen.ours
    backbone.fault("uk6", "unreachable")
    (unread,) = verifying.verify_routers(names=["uk6"])
    push.refresh_from_db()
    assert (unread.state, push.saved) == ("unknown", False)
    assert unread.unsaved["ours"] == list(seen.ours), "what was seen last stays on record"
    backbone.clear()
    backbone.fault("uk6", "write-fails", message=BUSY)
    with pytest.raises(SaveRefused, match="busy"):
        saving.save_router(actor=backbone.approver, router=push.router, seen=seen.digest, reason="again")
    backbone.clear()
    saving.save_router(
        actor=backbone.approver, router=push.router, seen=seen.digest, reason="NVRAM is free now"
    )
    push.refresh_from_db()
    assert push.saved is True
    assert "service-policy input TRUSTED-IN" in startup(backbone)
    actions = list(
        AuditEvent.objects.filter(object_type="Router", action__startswith="router.save")
        .order_by("sequence")
        .values_list("action", "reason", "actor")
    )
    assert actions == [
        ("router.save", "again", "approver"),
        ("router.save-refused", "again", "approver"),
        ("router.save", "NVRAM is free now", "approver"),
        ("router.saved", "NVRAM is free now", "approver"),
    ]
    assert Transcript.objects.filter(router=push.router, purpose="save").count() == 2


def test_the_command_shows_the_lines_and_saves_exactly_those(
    backbone: Backbone, monkeypatch: pytest.MonkeyPatch, settings: object
) -> None:
    change = ready(backbone)
    at_line(monkeypatch, 9, lambda: backbone.console("uk6", *FOREIGN))
    backbone.push(change)
    code, text = say("save", "uk6", "--as", "approver")
    assert code == 1
    assert f"+ {' / '.join(FOREIGN)}" in text and "of other people:" in text and "ours:" in text
    shown = json.loads(say("save", "uk6", "--as", "approver", "--json")[1])
    assert shown["saved"] is False and len(shown["foreign"]) == 2

    with pytest.raises(CommandError, match="Only an operator of the NOC"):
        say("save", "uk6", "--as", "janet", "--reason", "mine")
    with pytest.raises(CommandError, match="there is no router"):
        say("save", "uk66", "--as", "approver")
    backbone.console("uk6", "interface POS1/0", "description typed after the look")
    with pytest.raises(CommandError, match="not what was shown"):
        say("save", "uk6", "--as", "approver", "--seen", shown["digest"], "--reason", "Mary agrees")
    assert "typed" not in startup(backbone)
    settings.PUSH_ENABLED = False  # type: ignore[attr-defined]
    with pytest.raises(CommandError, match="PUSH_ENABLED"):
        say("save", "uk6", "--as", "approver", "--reason", "Mary agrees")
    settings.PUSH_ENABLED = True  # type: ignore[attr-defined]
    assert "typed" not in startup(backbone)

    lease = leases.acquire(router=Router.objects.get(name="uk6"), owner="another")
    assert lease is not None
    with pytest.raises(CommandError, match="held by another worker"):
        say("save", "uk6", "--as", "approver", "--reason", "Mary agrees")
    leases.release(lease)
    RouterPush.objects.filter(change=change).update(state="UNKNOWN")
    with pytest.raises(CommandError, match="not verified"):
        say("save", "uk6", "--as", "approver", "--reason", "Mary agrees")
    RouterPush.objects.filter(change=change).update(state="VERIFIED")

    code, text = say("save", "uk6", "--as", "approver", "--reason", "Mary agrees")
    assert code == 0 and "uk6: saved." in text
    assert "typed during the push" in startup(backbone) and "service-policy input TRUSTED-IN" in startup(
        backbone
    )
    push = edges_of(change)
    assert push.saved is True
    assert say("save", "uk6", "--as", "approver") == (0, "uk6: startup-config holds everything.\n")
    assert "nothing to save" in say("save", "uk6", "--as", "approver", "--reason", "again")[1]
