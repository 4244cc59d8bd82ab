"""A change played on practice routers before it is approved, over real SSH; the routers of the network are asked nothing."""

from __future__ import annotations

import json
import time
from datetime import timedelta
from io import StringIO
from pathlib import Path
from typing import Any

import pytest
from django.conf import settings
from django.core.management import call_command
from django.utils import timezone

from inventory.models import Router
from provisioning.errors import Conflict, NotPermitted, StaleState, Unreachable
from provisioning.models import (
    AuditEvent,
    Change,
    ChangeKind,
    Job,
    JobKind,
    Rehearsal,
    RehearsedPush,
    RouterPush,
    StoredPlan,
    Transcript,
)
from provisioning.pipeline import ios
from provisioning.pipeline.change import Scope
from provisioning.pipeline.diff import Line
from provisioning.pipeline.platforms import profile
from provisioning.pipeline.rendering import Renderer
from provisioning.selectors.plans import digest_of, text_of
from provisioning.selectors.rehearsals import rehearsed
from provisioning.selectors.templates import shared_ios_environment
from provisioning.services import audit, changes, jobs, rehearsing
from provisioning.services.approval import fingerprint
from provisioning.services.leases import Held
from provisioning.services.practice import lending
from provisioning.services.rehearsing import playing, working
from provisioning.services.rehearsing.judging import differences, lines_in_words
from tests.services.backbone import Backbone

pytestmark = pytest.mark.once


def played(change: Change) -> dict[tuple[str, str], RehearsedPush]:
    """What became of each push of a change in its last rehearsal."""
    row = Rehearsal.objects.filter(change=change).order_by("-pk")[0]
    found = RehearsedPush.objects.filter(rehearsal=row).select_related("push__router")
    return {(each.push.router.name, each.push.phase): each for each in found}


def rehearse(backbone: Backbone, change: Change) -> Rehearsal:
    """Ask for it and let the workers do it."""
    row = rehearsing.ask(actor=backbone.planner, change=change)
    jobs.work(workers=2, until_idle=True)
    row.refresh_from_db()
    return row


def test_a_baseline_is_rehearsed_on_three_trains_and_leaves_no_trace(backbone: Backbone) -> None:
    change = backbone.plan()
    before = list(RouterPush.objects.order_by("pk").values())
    said = {name: len(backbone.typed(name)) for name in ("uk6", "nl6", "gr6")}
    said_by_command = StringIO()
    call_command("rehearse", change.reference, "--lines", stdout=said_by_command)
    row = Rehearsal.objects.get(change=change)
    found = rehearsed(change, fingerprint(change))
    assert found is not None
    assert (row.error, found.current, found.through) == ("", True, True), [
        (each.push.router.name, each.said) for each in found.played
    ]
    lines = {key: each.lines for key, each in played(change).items()}
    for push in RouterPush.objects.filter(change=change, lines__gt=0).select_related("router"):
        sent = lines[push.router.name, push.phase]
        assert [number for number, _text, _reply in sent] == list(range(1, push.lines + 1))
    assert list(RouterPush.objects.order_by("pk").values()) == before
    assert not Transcript.objects.exists()
    assert {name: len(backbone.typed(name)) for name in said} == said
    assert (
        f"{change.reference} rehearsed on practice routers: 6 plans: 6 rehearsed"
        in said_by_command.getvalue()
    )
    assert "   7 police cir percent 5" in said_by_command.getvalue()


def test_what_is_refused_or_is_not_known_is_said_by_line(backbone: Backbone) -> None:
    """gr6 is read as a release without `match dscp` (ios-facts 2.1), uk6 with a line that no practice router knows; the plan of
    nl6 has such a line.
    """
    change = backbone.plan()
    of = edges(change)
    edit(of["gr6"].before, ios="12.2(8)T")
    text = of["uk6"].before.text.replace("interface POS1/0\n", "interface POS1/0\n teleport 5\n")
    edit(of["uk6"].before, text=text)
    number = said_otherwise(of["nl6"], "set dscp 0", "teleport 5")
    rehearse(backbone, change)
    found = played(change)
    refused = found["gr6", "edges"]
    assert refused.outcome == "refused", refused.said
    assert refused.said.startswith(f"line {refused.line} was refused: 'match dscp 46': % Invalid input")
    assert {number: line for number, line, _reply in refused.lines}[refused.line] == "match dscp 46"
    assert found["gr6", "core-on"].outcome == "not-rehearsed"
    strange = found["uk6", "edges"]
    assert strange.outcome == "rehearsed", strange.said
    assert [row[:2] for row in strange.unknown] == [
        [text.splitlines().index(" teleport 5") + 1, "teleport 5"]
    ]
    unheard = found["nl6", "edges"]
    assert (unheard.outcome, unheard.line) == ("not-rehearsed", number)
    assert (
        unheard.said
        == f"not rehearsed: lines {number}-{of['nl6'].lines}; no practice router knows 'teleport 5'"
    )


def test_what_ends_otherwise_and_what_starts_otherwise_is_said_with_the_lines(
    live: Backbone, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Of a plan whose lines were changed behind its back; of a running-config with a line the practice router does not know in an
    object that the plan is about; and of a box there is no practice router of. One router in a job.
    """
    monkeypatch.setattr(working, "ROUTERS_AT_ONCE", 1)
    live.console("uk6", "interface POS1/0", "no service-policy input TRUSTED-IN")
    live.console("nl6", "interface GigabitEthernet1/0", "no service-policy input NON-PARTICIPANT")
    live.console("gr6", "interface POS2/0", "no service-policy input TRUSTED-IN")
    change = live.plan(kind=ChangeKind.REPAIR)
    of = edges(change)
    said_otherwise(of["uk6"], "service-policy input TRUSTED-IN", "description unbound")
    head, header, rest = of["nl6"].before.text.partition("policy-map NON-PARTICIPANT\n")
    text = head + header + rest.replace("set dscp 0", "teleport 5", 1)
    edit(of["nl6"].before, text=text)
    Router.objects.filter(name="gr6").update(platform="cisco-7200vxr")
    edit(of["gr6"].before, ios="not a release")
    row = rehearse(live, change)
    assert row.error == ""
    found = played(change)
    other = found["uk6", "edges"]
    assert (other.outcome, other.line) == ("differs", of["uk6"].lines), other.said
    assert "the plan says something else" in other.said
    start = found["nl6", "edges"]
    number = next(n for n, line in enumerate(text.splitlines(), 1) if "teleport" in line)
    assert start.outcome == "not-rehearsed"
    assert "does not hold what was read: policy-map NON-PARTICIPANT" in start.said
    assert f"it does not know line {number}: teleport 5" in start.said
    assert "there is no practice router like it: ios: 'not a release'" in found["gr6", "edges"].said
    assert Job.objects.filter(kind=JobKind.REHEARSE).count() == 3


def test_two_who_ask_get_the_same_and_a_change_put_aside_ends_it(
    live: Backbone, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The worker after one that died plays what is left, and none of it twice."""
    live.console("uk6", "interface POS1/0", "no service-policy input TRUSTED-IN")
    live.console("nl6", "interface GigabitEthernet1/0", "no service-policy input NON-PARTICIPANT")
    change = live.plan(kind=ChangeKind.REPAIR)
    row = rehearsing.ask(actor=live.planner, change=change)
    assert rehearsing.ask(actor=live.approver, change=change).pk == row.pk
    with pytest.raises(NotPermitted):
        rehearsing.ask(actor=live.nren["JANET"], change=change)
    first = edges(change)["uk6"]
    RehearsedPush.objects.create(rehearsal=row, push=first, outcome="rehearsed", said="by the one that died")
    assert "rehearsed" in rehearsing.rehearse(rehearsal_id=row.pk)
    found = played(change)
    assert found["uk6", "edges"].said == "by the one that died"
    assert found["nl6", "edges"].outcome == "rehearsed"
    row.refresh_from_db()
    assert AuditEvent.objects.get(action="change.rehearsed").after["digest"] == row.digest
    assert audit.verify_chain().faults == ()
    RehearsedPush.objects.filter(rehearsal=row, push=first).update(outcome="refused")
    assert [each.reason for each in audit.verify_chain().faults] == [f"the rehearsal {row.pk} was changed"]
    RehearsedPush.objects.filter(rehearsal=row, push=first).update(outcome="rehearsed")
    again = rehearsing.ask(actor=live.planner, change=change)
    assert again.pk != row.pk
    dies_in_the_middle(again, monkeypatch)
    again = rehearsing.ask(actor=live.planner, change=change)
    waits_for_others_and_is_given_up(again)
    again = rehearsing.ask(actor=live.planner, change=change)
    changes.cancel(actor=live.planner, change=change, reason="not tonight")
    with pytest.raises(StaleState, match="over meanwhile"):
        rehearsing.rehearse(rehearsal_id=again.pk)
    again.refresh_from_db()
    assert again.finished_at is not None and "over meanwhile" in again.error
    with pytest.raises(Conflict, match="is over"):
        rehearsing.ask(actor=live.planner, change=change)
    monkeypatch.setattr(settings, "BASE_DIR", Path("/nowhere"))
    monkeypatch.setattr("importlib.util.find_spec", lambda _name: None)
    with pytest.raises(lending.NoPracticeRouters, match="not installed"):
        lending.require()


def dies_in_the_middle(row: Rehearsal, monkeypatch: pytest.MonkeyPatch) -> None:
    """Nothing is said of a router whose practice router is gone; the rehearsal says it."""
    with monkeypatch.context() as patched:
        patched.setattr(working, "LENT_SECONDS", 2)
        patched.setattr(working, "play", lambda cast: (time.sleep(3), playing.play(cast))[1])
        with pytest.raises(Unreachable, match="ended in the middle"):
            rehearsing.rehearse(rehearsal_id=row.pk)
    row.refresh_from_db()
    assert "ended in the middle" in row.error and not row.played.exists()


def waits_for_others_and_is_given_up(row: Rehearsal) -> None:
    """Enough others are played; and two jobs of it met a fault of ours."""
    until = timezone.now() + timedelta(minutes=1)
    others = [
        Job.objects.create(kind=JobKind.REHEARSE, subject_id=row.pk - n, state="leased", lease_until=until, available_at=until)
        for n in (1, 2)
    ]  # fmt: skip
    with pytest.raises(Held):
        rehearsing.rehearse(rehearsal_id=row.pk)
    for job in others:
        Job.objects.filter(pk=job.pk).update(
            state="failed", subject_id=row.pk, outcome="internal error: KeyError"
        )
    with pytest.raises(StaleState, match="given up after 2 tries: internal error: KeyError"):
        rehearsing.rehearse(rehearsal_id=row.pk)


def test_differences_name_the_objects_and_the_lines_about_them() -> None:
    before = "policy-map A\n class class-default\n  set dscp 0\ninterface POS1/0\n service-policy input A\n"
    wanted, held = (
        ios.parse(before),
        ios.parse(before.replace("set dscp 0", "set dscp 8").replace("input A", "output A")),
    )
    commands = [Line("policy-map A"), Line("class class-default", 1), Line("set dscp 0", 2), Line("interface POS1/0"),
                Line("service-policy input A", 1)]  # fmt: skip
    scope = Scope((("policy-map", "A"),), ("POS1/0",))
    known = profile("cisco-12400", "12.0(28)S")
    found = differences(wanted, held, scope, commands, Renderer(shared_ios_environment()), known)
    assert [each.text for each in found] == [
        "policy-map A (lines 1-3)",
        "POS1/0 input (lines 4-5)",
        "POS1/0 output (lines 4-5)",
    ]
    assert "set dscp 0" in found[0].expected and "set dscp 8" in found[0].found
    assert (found[1].expected, found[1].found) == ("service-policy A", "")
    assert lines_in_words([3, 17, 18, 19]) == "lines 3, 17-19"


def edges(change: Change) -> dict[str, RouterPush]:
    found = RouterPush.objects.select_related("before", "router").filter(change=change, phase="edges")
    return {push.router.name: push for push in found}


def edit(snapshot: Any, **fields: Any) -> None:
    type(snapshot).objects.filter(pk=snapshot.pk).update(**fields)


def said_otherwise(push: RouterPush, line: str, instead: str) -> int:
    """A plan that somebody stored with another line; the number of that line."""
    content = json.loads(push.stored_plan.content)
    number = next(n for n, each in enumerate(content["commands"], 1) if each["text"] == line)
    content["commands"][number - 1]["text"] = instead
    text = text_of(content)
    StoredPlan.objects.filter(pk=push.pk).update(content=text, size=len(text))
    RouterPush.objects.filter(pk=push.pk).update(plan_digest=digest_of(text))
    return number
