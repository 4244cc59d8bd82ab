"""The change and push pages: every line with its state, what stands in the way, approval and progress."""

from __future__ import annotations

import re
from collections.abc import Callable
from datetime import timedelta

import pytest
from django.test import Client
from django.utils import timezone

from provisioning.models import AuditEvent, Change, RouterPush, RouterSync
from provisioning.pipeline.states import ChangeState, PushState, RequestState
from provisioning.selectors.plans import content_of
from provisioning.services import audit
from provisioning.services.approval import fingerprint
from provisioning.web.words import STATES
from tests.plans import keep, replan
from tests.web.plans import GAP, SAME
from tests.web.text import page_text
from tests.web.world import World

As = Callable[[str], Client]


def page(client: Client, path: str) -> str:
    answer = client.get(path)
    assert answer.status_code == 200, path
    return page_text(answer)


def test_every_line_is_shown_with_what_is_so_after_it(world: World, as_user: As) -> None:
    text = page(as_user("niels"), f"/changes/{world.changes['planned'].pk}/")
    assert "police cir percent 5 conform-action transmit exceed-action drop" in text
    assert "NON-PARTICIPANT off: nobody marks, whatever arrives passes as it is" in text
    assert "FILTERED-IN on: the access list marks (nren-auth-ef); EF policed at 5 % of BW" in text
    assert "the rest becomes DSCP 0" in text
    assert "same write as the line above" in text
    assert text.count("gap opens") == text.count("gap closes") == 2, "there, and on the way back"
    assert "FILTERED-IN off: nobody marks" in text and "NON-PARTICIPANT on: everything becomes DSCP 0" in text
    assert "everything becomes DSCP 0" in text
    assert GAP in text
    refused = text.partition("If the second line of a swap is refused")[2].partition("</details>")[0]
    ways = re.findall(r"<li>(.*?)</li>", refused, re.DOTALL)
    assert [re.sub(r"<[^>]+>", "", way).strip() for way in ways] == [
        "service-policy input FILTERED-IN: the access list marks",
        "service-policy input NON-PARTICIPANT: everything becomes DSCP 0",
    ]
    assert "How long a swap lasts on" in text and "was not measured yet" in text
    assert "de6" in text and "FastEthernet0/1" in text
    assert "snmp-server location Amsterdam" in text
    assert "0123456789abcdef" * 4 in text
    assert "no policy-map FILTERED-IN" in text


def test_what_is_equal_today_is_shown_and_not_hidden(world: World, as_user: As) -> None:
    change = world.changes["planned"]
    push = RouterPush.objects.get(change=change)
    replan(push, equal_today=[SAME.to_json()])
    text = page(as_user("niels"), f"/changes/{change.pk}/")
    assert "Equal today, and still a difference." in text
    assert "Both come to 7.75 Mbit/s while the BW is 155 Mbit/s" in text


def test_before_and_after_stand_side_by_side(world: World, as_user: As) -> None:
    text = page(as_user("niels"), f"/changes/{world.changes['planned'].pk}/compare/")
    assert "policy-map FILTERED-IN" in text and "interface GigabitEthernet1/0" in text
    assert 'class="gone"' in text and 'class="new"' in text
    unified = page(as_user("niels"), f"/changes/{world.changes['planned'].pk}/compare/?as=unified")
    assert "-" in unified and '<span class="del">- service-policy input NON-PARTICIPANT</span>' in unified
    assert '<span class="add">+ service-policy input FILTERED-IN</span>' in unified


def test_raw_is_the_exact_text_and_the_way_back(world: World, as_user: As) -> None:
    text = page(as_user("niels"), f"/changes/{world.changes['planned'].pk}/raw/")
    assert (
        "interface GigabitEthernet1/0\n no service-policy input NON-PARTICIPANT\n service-policy input FILTERED-IN\n! rollback"
        in text
    )


def yes(change: Change) -> dict[str, str]:
    """What a person who read the change sends to approve it."""
    return {"reason": "ok", "confirm_gaps": "on", "seen": fingerprint(change)}


def test_what_is_approved_is_what_was_shown(world: World, as_user: As) -> None:
    change, niels = world.changes["planned"], as_user("niels")
    shown = page(niels, f"/changes/{change.pk}/approve/")
    seen = yes(change)
    assert f'name="seen" value="{seen["seen"]}"' in shown
    assert f"/changes/{change.pk}/approve/?seen={seen['seen']}" in page(niels, f"/changes/{change.pk}/")
    push = RouterPush.objects.get(change=change)
    first, *rest = content_of(push)["commands"]
    replan(push, commands=[{**first, "text": "interface POS2/0"}, *rest])
    assert niels.get(f"/changes/{change.pk}/approve/?seen={seen['seen']}").status_code == 409
    assert niels.post(f"/changes/{change.pk}/approve/", seen).status_code == 409
    seen.pop("seen")
    assert niels.post(f"/changes/{change.pk}/approve/", seen).status_code == 200
    assert RouterPush.objects.get(change=change).state == PushState.PLANNED
    assert Change.objects.get(pk=change.pk).approved_by is None


def test_who_planned_it_does_not_approve_it(world: World, as_user: As) -> None:
    change = world.changes["planned"]
    text = page(as_user("nora"), f"/changes/{change.pk}/")
    assert f"{change.reference} was planned by you: somebody else of the NOC approves it." in text
    assert "In an emergency: approve it alone, by break-glass" in text
    answer = as_user("nora").post(f"/changes/{change.pk}/approve/", yes(change))
    assert "Say why you do it alone" in answer.content.decode()
    assert RouterPush.objects.get(change=change).state == PushState.PLANNED


def test_a_gap_is_confirmed_or_nothing_is_approved(world: World, as_user: As) -> None:
    change = world.changes["planned"]
    text = page_text(as_user("niels").post(f"/changes/{change.pk}/approve/", {"reason": "ok"}))
    assert "Confirm the gap, or do not approve." in text
    assert RouterPush.objects.get(change=change).state == PushState.PLANNED


def test_a_change_in_the_way_of_which_something_is_cannot_be_approved(world: World, as_user: As) -> None:
    change = world.changes["planned"]
    conflict = {
        "kind": "foreign",
        "object_kind": "policy-map",
        "name": "FILTERED-IN",
        "expected": "mine",
        "found": "<theirs>",
        "text": "policy-map FILTERED-IN exists and is not ours.",
    }
    RouterPush.objects.filter(change=change).update(conflicts=[conflict])
    text = page(as_user("niels"), f"/changes/{change.pk}/")
    assert "You cannot approve this change" in text and "is not ours" in text and "&lt;theirs&gt;" in text
    assert f"/changes/{change.pk}/approve/" not in text


def test_cancelling_says_that_nothing_is_taken_back(world: World, as_user: As) -> None:
    change = world.changes["planned"]
    assert "this takes nothing back" in page(as_user("niels"), f"/changes/{change.pk}/cancel/")
    as_user("niels").post(f"/changes/{change.pk}/cancel/", {"reason": "wrong week"})
    assert RouterPush.objects.get(change=change).state == PushState.CANCELLED


def test_pushing_is_off_where_it_is_switched_off(world: World, as_user: As, settings) -> None:
    settings.PUSH_ENABLED = False
    change = world.changes["approved"]
    text = page(as_user("niels"), f"/changes/{change.pk}/")
    assert "PUSH_ENABLED" in text and f"/changes/{change.pk}/push/" not in text
    assert as_user("niels").post(f"/changes/{change.pk}/push/").status_code == 409
    assert Change.objects.get(pk=change.pk).released_at is None
    assert "Pushing is switched off" in page(as_user("nora"), "/queue/")


def test_the_push_page_follows_only_while_something_moves(world: World, as_user: As) -> None:
    moving = page(as_user("niels"), f"/changes/{world.changes['pushing'].pk}/progress/")
    assert 'hx-trigger="every 1s"' in moving
    assert "line 6 of 13" in moving and ">police cir percent 5" in moving
    fragment = page(as_user("niels"), f"/changes/{world.changes['pushing'].pk}/progress/live/")
    assert fragment.startswith('<div id="progress"') and "<html" not in fragment
    assert 'id="change-head" hx-swap-oob="true"' in fragment
    for still in ("failed", "done", "planned", "approved"):
        assert "hx-trigger" not in page(as_user("niels"), f"/changes/{world.changes[still].pk}/progress/"), (
            still
        )


def test_a_stopped_push_says_what_happened_and_what_to_do(world: World, as_user: As) -> None:
    # What was verified on its router is of before: nobody has seen to it since.
    RouterPush.objects.filter(pk=world.pushes["done"].pk).update(
        state_changed_at=world.now - timedelta(days=1)
    )
    text = page(as_user("niels"), f"/changes/{world.changes['failed'].pk}/progress/")
    assert "The push stopped at that line" in text
    assert "Invalid input detected" in text
    assert "holds what it held before the first line" in text
    assert "Read the router&#x27;s reply" in text
    transcript = page(as_user("niels"), f"/pushes/{world.pushes['failed'].pk}/")
    assert "&gt; ipv6 access-list nren-auth-ef" in transcript


@pytest.mark.parametrize("state", [*RequestState, *PushState, *ChangeState])
def test_every_state_has_its_word(state) -> None:
    assert state.value.lower() in STATES
    assert STATES[state.value.lower()].meaning


def test_every_error_code_of_a_router_has_plain_words() -> None:
    """Where a session can end before the first line, and where it can end half way, each of its codes has its own row."""
    from provisioning import errors
    from provisioning.pipeline.ends import end_of
    from provisioning.services.pushing.reverting import NotSettled

    # What a reply says of one line is no way for a session to end.
    of_a_line = {"device-error", "line-refused", "save-refused", "session-lost"}
    codes = {kind.code for kind in _all_kinds(errors.DeviceError)} - of_a_line
    # A timer runs only once it was begun, half way.
    for state, ends in ((PushState.FAILED, codes - {NotSettled.code}), (PushState.UNKNOWN, codes)):
        assert ends
        assert {code for code in ends if end_of(state, code).code != code} == set()
    for code in ("line-refused", "silently-refused", "not-as-approved", "not-working", "unhealthy"):
        assert end_of(PushState.ROLLED_BACK, code).code == code


def _all_kinds(kind: type) -> set[type]:
    return {kind, *(deeper for one in kind.__subclasses__() for deeper in _all_kinds(one))}


def test_alarms_name_the_holes(world: World, as_user: As) -> None:
    text = page(as_user("nora"), "/queue/")
    assert "Core queues are live on uk6 while 6 edges are open" in text
    assert "de6 FastEthernet0/1: enabled, unknown to the inventory, no input policy" in text
    assert "de6: what was read is not what is intended." in text
    RouterSync.objects.filter(router__name="uk6").update(core_live=False)
    calmer = page(as_user("nora"), "/queue/")
    assert "Core queues are live" not in calmer and "1 open edge" in calmer


def test_the_chain_is_checked_on_request(world: World, as_user: As, tampering: None) -> None:
    good = page_text(as_user("audrey").post("/audit/check/", follow=True))
    assert "The chain holds" in good and audit.verify_chain().intact
    fourth = AuditEvent.objects.order_by("sequence")[3].sequence
    AuditEvent.objects.filter(sequence=fourth).update(reason="never happened")
    bad = page_text(as_user("audrey").post("/audit/check/", follow=True))
    assert f"The chain is broken at #{fourth}" in bad


def test_the_audit_log_is_filtered(world: World, as_user: As) -> None:
    text = page(as_user("audrey"), "/audit/?q=jane&object_type=PremiumRequest")
    assert "request.submit" in text and "person.put" not in text
    assert "Nothing matches" in page(as_user("audrey"), "/audit/?q=zzzz-nothing")


def test_a_link_shows_what_is_committed_over_time(world: World, as_user: As) -> None:
    pk = world.requests["active"].source_link_id
    text = page(as_user("nora"), f"/links/access/{pk}/")
    assert "<polyline" in text and "Committed into the backbone" in text
    assert world.requests["active"].reference in text and world.requests["admitted"].reference in text
    assert "4.5 Mbit/s" in text and "3.25 Mbit/s" in text


def test_stored_configuration_is_shown_as_text(world: World, as_user: As) -> None:
    snapshot = world.pushes["planned"].router.snapshots.first()
    type(snapshot).objects.filter(pk=snapshot.pk).update(text="hostname <b>nl6</b>\n")
    text = page(as_user("audrey"), "/routers/nl6/config/")
    assert "&lt;b&gt;nl6" in text and "<b>nl6" not in text


def test_a_later_phase_is_compared_with_what_the_phase_before_leaves_behind(
    world: World, as_user: As
) -> None:
    first = world.pushes["planned"]
    later = {
        **content_of(first),
        "phase": "core-on",
        "commands": [
            {"text": text, "depth": depth, "joined": False, "step": None}
            for text, depth in (("interface GigabitEthernet1/0", 0), ("service-policy output FILTERED-IN", 1))
        ],
        "owned_after": {"policy-map FILTERED-IN": "c" * 64},
    }
    second = RouterPush.objects.create(
        change=first.change, router=first.router, phase="core-on", position=2, before=first.before
    )
    keep(second, later)
    text = page(as_user("niels"), f"/changes/{first.change_id}/compare/")
    assert "cannot be compared" not in text
    assert (
        '<td class="new" data-side="after"><span class="visually-hidden">added: </span>'
        '<span class="line"> service-policy output FILTERED-IN</span></td>'
    ) in text


def test_the_list_of_routers_says_what_is_known_and_never_false(world: World, as_user: As) -> None:
    text = page(as_user("nora"), "/routers/")
    assert 'class="tag good"' in text and 'class="tag bad"' in text
    assert text.count("</svg>Unknown</span>") == 5
    assert text.count("</svg>In sync</span>") == 3
    assert "False" not in text


def test_a_broken_push_is_an_alarm_until_the_router_is_seen_in_sync_again(world: World, as_user: As) -> None:
    broken = world.pushes["failed"]
    RouterPush.objects.filter(pk=broken.pk).update(state=PushState.UNKNOWN, state_changed_at=timezone.now())
    assert "CHG-" in (text := page(as_user("nora"), "/queue/")) and "stopped on nl6 (unknown)" in text
    RouterSync.objects.filter(router__name="nl6").update(checked_at=timezone.now(), state="in-sync")
    assert "stopped on nl6" not in page(as_user("nora"), "/queue/")
    RouterSync.objects.filter(router__name="nl6").update(state="differs")
    assert "stopped on nl6" in page(as_user("nora"), "/queue/")


def test_an_empty_group_of_the_queue_says_what_to_expect(world: World, as_user: As) -> None:
    RouterPush.objects.all().delete()
    for request in world.requests.values():
        type(request).objects.filter(pk=request.pk).update(state="COMPLETED")
    text = page(as_user("nora"), "/queue/?group=decision")
    assert "Nobody waits for you" in text and "Nothing matches" not in text


def test_the_page_says_what_could_converge_and_what_policers_mean_at_both_layers(
    world: World, as_user: As
) -> None:
    change = world.changes["planned"]
    change.rates = {
        "convergence": [
            {
                "link": "uk6:POS2/0--nl6:POS2/0", "direction": "a-z", "caps": [{"link": "J", "cap_bps": 50_000_000}],
                "sum_bps": 50_000_000, "share_bps": 31_000_000, "excess_bps": 19_000_000,
            }
        ],
        "policers": [{"router": "uk6", "text": "POS1/0 TRUSTED-IN: 7.75 Mbit/s at layer 2", "short_bps": 310_000}],
    }  # fmt: skip
    change.save()
    text = page(as_user("niels"), f"/changes/{change.pk}/")
    assert "What could converge on core links" in text
    assert "19 Mbit/s more" in text
    assert "POS1/0 TRUSTED-IN: 7.75 Mbit/s at layer 2" in text
    assert "too small" in text


def test_drift_that_is_equal_today_is_shown_beside_what_differs(world: World, as_user: As) -> None:
    router = world.pushes["planned"].router
    items = [
        {"object": "policy-map TRUSTED-IN", "expected": "police cir percent 5", "found": "police cir 7750000"}
    ]
    detail = {"items": items, "equal_today": [SAME.to_json()]}
    RouterSync.objects.update_or_create(
        router=router, defaults={"state": "differs", "detail": detail, "checked_at": timezone.now()}
    )
    text = page(as_user("niels"), f"/routers/{router.name}/")
    assert "policy-map TRUSTED-IN" in text and "Equal today, and still a difference." in text
    assert "Both come to 7.75 Mbit/s while the BW is 155 Mbit/s" in text
