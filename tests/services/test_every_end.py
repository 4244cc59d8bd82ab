"""From every end of a push to VERIFIED, by the step that the table of ends documents and through each of its doors."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from io import StringIO

import pytest
from django.contrib.auth.models import User
from django.core.management import call_command
from django.test import Client

from provisioning.errors import Conflict, NotPermitted
from provisioning.models import SYSTEM, Change, Notification, RouterPush, RouterSync
from provisioning.pipeline.ends import DEEDS, ENDS, End, Verb
from provisioning.selectors.ends import end_of_push, standing
from provisioning.services import changes, next_steps, saving, tokens
from tests.depth import sample
from tests.services.ending import MAKE, Trial, trial
from tests.services.house import House
from tests.services.house import bare_house as bare_house
from tests.services.house import house as house

pytestmark = pytest.mark.once  # over practice routers, the same on either database

WHY = "it was mended"
MOST_STEPS = 2
"""One step ends at another end at times: what is closed again is planned again, what somebody typed is saved with a reason."""


def by_service(house: House, push: RouterPush, verb: Verb) -> None:
    seen = saving.look(actor=house.noc[0], router=push.router).digest if verb is Verb.SAVE else ""
    next_steps.take(actor=house.noc[0], push=push, verb=verb, reason=WHY, seen=seen)


def by_command(house: House, push: RouterPush, verb: Verb) -> None:
    why = ["--reason", WHY] if DEEDS[verb].reason else []
    # The rest of a change is more than this router.
    where = [] if verb is Verb.FINISH else ["--router", push.router.name]
    asked = [str(push.change_id), *where, "--do", verb.value, "--as", "anna", *why]
    call_command("next_step", *asked, stdout=StringIO())


def by_page(house: House, push: RouterPush, verb: Verb) -> None:
    client = Client()
    client.force_login(User.objects.get(username="anna"))
    if verb is Verb.SAVE:
        seen = saving.look(actor=house.noc[0], router=push.router).digest
        answer = client.post(f"/routers/{push.router.name}/save/", {"seen": seen, "reason": WHY})
    elif verb is Verb.LOOK:
        answer = client.post(f"/pushes/{push.pk}/try-now/")
    else:
        answer = client.post(f"/pushes/{push.pk}/next-step/?do={verb}", {"reason": WHY})
    assert answer.status_code == 302, answer.content.decode()


def by_api(house: House, push: RouterPush, verb: Verb) -> None:
    _token, text = tokens.issue(actor=SYSTEM, user=User.objects.get(username="anna"), nren=None, name="night")
    headers = {"Authorization": f"Bearer {text}"}
    shown = Client().get(f"/api/v1/pushes/{push.pk}/", headers=headers).json()["next_step"]
    assert shown["verb"] == verb
    said = {"verb": verb, "reason": WHY}
    if verb is Verb.SAVE:
        unsaved = Client().get(f"/api/v1/routers/{push.router_id}/unsaved/", headers=headers).json()
        said["seen"] = unsaved["digest"]
    answer = Client().post(
        f"/api/v1/pushes/{push.pk}/next-step/", said, content_type="application/json", headers=headers
    )
    assert answer.status_code == 200, answer.json()


DOORS: tuple[Callable[[House, RouterPush, Verb], None], ...] = (by_service, by_command, by_page, by_api)


def carried_out(house: House) -> None:
    """What the step had planned is approved by somebody else, and goes out."""
    house.work()
    for change in Change.objects.filter(finished_at=None, approved_at=None, planned_at__isnull=False):
        if change.pushes.filter(state="PLANNED").exists():
            for person in house.noc[1:]:  # lines that no request asked for have two people behind them
                with suppress(Conflict, NotPermitted):
                    changes.approve(actor=person, change=change, confirm_gaps=True, reason="read")
            changes.release(actor=house.noc[3], change=change)
    house.work()


def is_told(push: RouterPush) -> bool:
    """Whether there is a message of it: of the push, of its router, or of the push that kept it from beginning."""
    others = push.change.pushes.exclude(pk=push.pk) if push.state == "CANCELLED" else [push]
    subjects = [f"push/{each.pk}" for each in others] + [f"router/{push.router_id}"]
    return Notification.objects.filter(subject__in=subjects, over_at=None).exists()


def walked(at: Trial, end: End, door: Callable[[House, RouterPush, Verb], None]) -> str:
    """What is wrong with this end or with the way from it; empty when nothing is."""
    push = MAKE[end.state.value, end.code](at)
    reached = end_of_push(push)
    if reached is not end:
        return f"it ended {push.state} {push.error_code!r}: {push.error}"
    if not is_told(push):
        return "nobody is told"
    at.cease()
    name, said = push.router.name, []
    step: End | None = end
    while step is not None and step.verb is not None:
        if len(said) == MOST_STEPS:
            return f"{', '.join(said)}, and still {push.state} {push.error_code!r}: {push.error}"
        said.append(step.verb.value)
        door(at.house, push, step.verb)
        carried_out(at.house)
        push = RouterPush.objects.filter(router__name=name).latest("pk")
        step = end_of_push(push)
    if push.state != "VERIFIED" or push.saved is False:
        return f"{', '.join(said)} led to {push.state} {push.error_code!r}: {push.error}"
    sync = RouterSync.objects.get(router__name=name)
    if sync.state != "in-sync" or sync.unsaved:
        return f"{', '.join(said)}: {name} {sync.state}, unsaved {sync.unsaved}"
    left = [f"{each} {each.state} {each.error_code}" for each in standing()]
    return f"{', '.join(said)}: still on the queue page: {left}" if left else ""


def test_every_end_leads_to_verified_by_its_next_step(house: House) -> None:
    ends = [end for end in ENDS if end.verb is not None]
    assert {(end.state.value, end.code) for end in ends} == set(MAKE), "an end that nobody makes"
    wrong = {}
    for number, end in sample(list(enumerate(ends)), one_in=3):
        door = DOORS[number % len(DOORS)]
        with trial(house) as at:
            try:
                said = walked(at, end, door)
            except Exception as error:  # noqa: BLE001 - the others are walked all the same
                said = f"{type(error).__name__}: {error}"
        if said:
            wrong[end.state.value, end.code, door.__name__] = said
    assert not wrong, "\n".join(f"{key}: {said}" for key, said in wrong.items())
