"""Somebody of the NOC, a mail server and a webhook, and things to tell."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
from django.db import transaction

from provisioning.models import Actor, Job, JobKind, JobState, Message, Role, Topic, Via
from provisioning.services import jobs
from provisioning.services.jobs.execution import run_subject
from provisioning.services.telling import gathering, sending
from provisioning.services.telling.noting import Note, note
from tests.services.requests.sixnet import noc
from tests.services.telling.listeners import Hook, Mailbox, mail_server, webhook


@pytest.fixture
def nora(transactional_db: None) -> Actor:
    return noc("nora")


@pytest.fixture
def jane(transactional_db: None) -> Actor:
    return Actor(label="jane", user_id=7, roles=frozenset({Role.NREN}), via=Via.WEB)


@pytest.fixture
def mailbox(settings: Any) -> Iterator[Mailbox]:
    with mail_server(settings) as box:
        yield box


@pytest.fixture
def hook(settings: Any, tmp_path: Path) -> Iterator[Hook]:
    with webhook(settings, tmp_path) as made:
        yield made


@pytest.fixture(autouse=True)
def _no_pauses(settings: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    """What is tried again is tried at the next tick, and what is new needs no window; tests of these set their own."""
    settings.NOTIFY_WINDOW_SECONDS = 0
    settings.NOTIFY_TIMEOUT_SECONDS = 2
    monkeypatch.setattr(sending, "pause_after", lambda *_args: _no_time())


def _no_time() -> timedelta:
    return timedelta(0)


def happened(
    title: str = "uk6 Serial1/0 input has no policy", subject: str = "router/1/a", **more: Any
) -> None:
    with transaction.atomic():
        note(Note(topic=more.pop("topic", Topic.BARE), subject=subject, title=title, **more))


def deliver() -> list[str]:
    """One tick's worth of the outbox, each message tried once by the job that is made for it; how each went."""
    made = jobs.enqueue(JobKind.NOTIFY, gathering.gather())
    for job in made:
        assert run_subject(kind=JobKind.NOTIFY, subject_id=job.subject_id, worker="w")
    done = Job.objects.filter(pk__in=[job.pk for job in made]).order_by("pk")
    assert all(job.state == JobState.DONE for job in done), [job.outcome for job in done]
    return [job.outcome for job in done]


def states() -> list[str]:
    return list(Message.objects.order_by("pk").values_list("state", flat=True))


Happened = Callable[..., None]
