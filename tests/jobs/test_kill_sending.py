"""kill -9 of a worker in the middle of a message: the next one sends it, and it is the same message."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from provisioning.models import Message
from provisioning.services.telling import subscribing
from tests.jobs.workers import kill, runjobs, until
from tests.services.requests.sixnet import noc
from tests.services.telling.listeners import webhook

pytestmark = pytest.mark.django_db(transaction=True)


def test_a_message_whose_worker_is_killed_is_sent_by_the_next(settings: Any, tmp_path: Path) -> None:
    nora = noc("nora")
    with webhook(settings, tmp_path) as hook:
        row, _secret = subscribing.add_webhook(actor=nora, url=hook.url)
        subscribing.test(actor=nora, subscriber=row)
        hook.hold.clear()
        environment = {
            "WEBHOOK_HOSTS": "localhost",
            "WEBHOOK_CA_FILE": settings.WEBHOOK_CA_FILE,
            "JOB_LEASE_SECONDS": "1",
        }
        with runjobs(tmp_path / "first.log", **environment) as first:
            until(lambda: hook.got, 60, "the webhook is called", tmp_path / "first.log")
            kill(first)
        message = Message.objects.get()
        assert (message.state, message.attempts) == ("waiting", 1)
        hook.hold.set()
        with runjobs(tmp_path / "second.log", **environment):
            until(lambda: Message.objects.get().state == "sent", 60, "it is sent", tmp_path / "second.log")
    assert len(hook.got) == 2
    numbers = {json.loads(body)["id"] for _headers, body in hook.got}
    assert numbers == {str(message.number)}
