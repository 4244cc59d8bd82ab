"""A push that broke off is tried again when a person says so, not when its pause of minutes is over."""

from __future__ import annotations

from collections.abc import Callable
from datetime import timedelta

import pytest
from django.contrib.auth.models import User
from django.core.management import call_command
from django.core.management.base import CommandError
from django.db.models import F
from django.test import Client
from django.utils import timezone

from provisioning.models import SYSTEM, AuditEvent, Job, JobKind, JobState, RouterPush
from provisioning.pipeline.states import PushState
from provisioning.services import jobs, tokens
from tests.api.conftest import Speaker
from tests.web.text import page_text
from tests.web.world import World

As = Callable[[str], Client]


@pytest.fixture
def broken(world: World, settings: object) -> RouterPush:
    """nl6 fell silent half way; a job will read it in five minutes."""
    settings.PUSH_ENABLED = True  # type: ignore[attr-defined]
    push = world.pushes["pushing"]
    RouterPush.objects.filter(pk=push.pk).update(
        state=PushState.UNKNOWN, error="nl6 fell silent", error_code="session-lost"
    )
    Job.objects.filter(subject_id=push.pk).delete()
    Job.objects.create(
        kind=JobKind.RECOVER, subject_id=push.pk, available_at=timezone.now() + timedelta(minutes=5)
    )
    push.refresh_from_db()
    return push


def mine(push: RouterPush) -> Job:
    return Job.objects.get(kind=JobKind.RECOVER, subject_id=push.pk)


def claimed(push: RouterPush) -> bool:
    """Whether a worker would take the job now."""
    Job.objects.exclude(subject_id=push.pk, kind=JobKind.RECOVER).delete()
    job = jobs.claim(worker="w")
    return job is not None and job.subject_id == push.pk


def test_the_button_has_the_router_read_as_soon_as_a_worker_is_free(as_user: As, broken: RouterPush) -> None:
    page = f"/changes/{broken.change_id}/progress/"
    address = f"/pushes/{broken.pk}/try-now/"
    assert address in page_text(as_user("nora").get(page))
    assert address not in page_text(as_user("audrey").get(page))
    assert not claimed(broken)
    assert as_user("nora").post(address).status_code == 302
    assert AuditEvent.objects.filter(action="push.try-now").count() == 1
    assert claimed(broken)


def test_where_no_job_waits_yet_one_is_made(as_user: As, broken: RouterPush) -> None:
    Job.objects.filter(subject_id=broken.pk).delete()
    as_user("nora").post(f"/pushes/{broken.pk}/try-now/")
    assert claimed(broken)


def test_by_command(broken: RouterPush) -> None:
    call_command("try_now", broken.change.reference, "--as", "nora")
    assert claimed(broken)
    with pytest.raises(CommandError):
        call_command("try_now", broken.change.reference, "--router", "uk6", "--as", "nora")


def test_by_api(broken: RouterPush) -> None:
    user = User.objects.get(username="nora")
    noc = Speaker(tokens.issue(actor=SYSTEM, user=user, nren=None, name="t")[1])
    at = f"/api/v1/pushes/{broken.pk}/try-now/"
    assert noc.post(at, {}, 200, Idempotency_Key="1")["state"] == "UNKNOWN"
    noc.post(at, {}, 200, Idempotency_Key="1")
    assert AuditEvent.objects.filter(action="push.try-now").count() == 1
    assert claimed(broken)
    assert noc.post(at, {"colour": "blue"}, 400)["errors"][0]["pointer"] == "#/colour"


def test_what_a_worker_is_at_and_what_is_over_is_left_alone(as_user: As, broken: RouterPush) -> None:
    Job.objects.filter(pk=mine(broken).pk).update(state=JobState.LEASED)
    before = mine(broken).available_at
    said = page_text(as_user("nora").post(f"/pushes/{broken.pk}/try-now/", follow=True))
    assert "a worker is at" in said
    assert mine(broken).available_at == before
    RouterPush.objects.filter(pk=broken.pk).update(error_code="unrecognised")
    Job.objects.filter(pk=mine(broken).pk).update(state=JobState.QUEUED, available_at=F("available_at"))
    as_user("nora").post(f"/pushes/{broken.pk}/try-now/")
    assert mine(broken).available_at == before
