"""A change played on practice routers before it is approved, over real SSH; the routers of the network are asked nothing."""

from __future__ import annotations

from typing import Any

from provisioning.models import Change, Job, JobKind, Rehearsal, RehearsedPush, RouterPush, Transcript
from provisioning.selectors.rehearsals import rehearsed
from provisioning.services import jobs, rehearsing
from provisioning.services.approval import fingerprint
from tests.services.backbone import Backbone


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
    row = rehearse(backbone, change)
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
    assert Job.objects.filter(kind=JobKind.REHEARSE).exists()


def test_what_is_refused_or_is_not_known_is_said_by_line(backbone: Backbone) -> None:
    """gr6 is read as a release without `match dscp` (ios-facts 2.1), uk6 with a line that no practice router knows."""
    change = backbone.plan()
    of = {
        push.router.name: push.before
        for push in RouterPush.objects.select_related("before", "router").filter(change=change)
    }
    edit(of["gr6"], ios="12.2(8)T")
    text = of["uk6"].text.replace("interface POS1/0\n", "interface POS1/0\n teleport 5\n")
    edit(of["uk6"], text=text)
    rehearse(backbone, change)
    found = played(change)
    refused = found["gr6", "edges"]
    assert refused.outcome == "refused", refused.said
    assert refused.said.startswith(f"line {refused.line} was refused: 'match dscp 46': % Invalid input")
    assert {number: line for number, line, _reply in refused.lines}[refused.line] == "match dscp 46"
    strange = found["uk6", "edges"]
    assert strange.outcome == "rehearsed", strange.said
    assert [row[:2] for row in strange.unknown] == [
        [text.splitlines().index(" teleport 5") + 1, "teleport 5"]
    ]


def edit(snapshot: Any, **fields: Any) -> None:
    type(snapshot).objects.filter(pk=snapshot.pk).update(**fields)
