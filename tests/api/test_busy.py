"""A database that is locked, slow or restarting: 503 and when to come again, never 500; through the API and on pages."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager

import pytest
from django.db import connection, connections, transaction
from django.test import Client

from provisioning.models import PremiumRequest
from provisioning.services import people
from tests.api.conftest import Speaker, asked

pytestmark = [pytest.mark.postgres, pytest.mark.django_db(transaction=True)]
URL = "/api/v1/premium-requests/"


@contextmanager
def somebody_holds(request: PremiumRequest) -> Iterator[None]:
    """Another connection holds the row for as long as the body runs."""
    holds, done = threading.Event(), threading.Event()

    def hold() -> None:
        try:
            with transaction.atomic():
                list(PremiumRequest.objects.select_for_update().filter(pk=request.pk))
                holds.set()
                done.wait(60)
        finally:
            connections.close_all()

    thread = threading.Thread(target=hold)
    thread.start()
    assert holds.wait(60)
    try:
        with connection.cursor() as cursor:
            cursor.execute("SET lock_timeout = '200ms'")
        yield
    finally:
        done.set()
        thread.join()
        connection.close()


def test_a_lock_that_is_not_had_in_time_is_a_503_that_says_when_to_come_again(
    postgres: None, speakers: dict[str, Speaker]
) -> None:
    jane = speakers["JANET"]
    made = jane.post(URL, asked())
    row = PremiumRequest.objects.get(pk=made["id"])
    with somebody_holds(row):
        for key in ({}, {"Idempotency_Key": "once"}):
            answer = jane.send("POST", f"{URL}{row.pk}/withdraw/", {"reason": "no more"}, **key)
            assert (answer.status_code, answer["Retry-After"]) == (503, "5")
            assert answer["Content-Type"] == "application/problem+json"
            assert answer.json()["code"] == "busy"
    row.refresh_from_db()
    assert row.state == "SUBMITTED"
    # The key was not used up: the deed it stands for was not done.
    jane.post(f"{URL}{row.pk}/withdraw/", {"reason": "no more"}, status=200, Idempotency_Key="once")


def test_a_page_says_so_too(postgres: None, speakers: dict[str, Speaker]) -> None:
    row = PremiumRequest.objects.get(pk=speakers["JANET"].post(URL, asked())["id"])
    client = Client(raise_request_exception=False)
    client.force_login(people.User.objects.get(username=row.submitted_by.username))
    with somebody_holds(row):
        answer = client.post(f"/requests/{row.pk}/withdraw/", {"reason": "no more"})
        assert (answer.status_code, answer["Retry-After"]) == (503, "5")
        assert "Busy at this moment" in answer.content.decode()


def test_a_connection_that_the_server_ends_is_a_503_and_the_next_one_works(
    postgres: None, speakers: dict[str, Speaker]
) -> None:
    jane = speakers["JANET"]
    with connection.cursor() as cursor:
        cursor.execute("SELECT pg_backend_pid()")
        (pid,) = cursor.fetchone()
    with connection.copy().cursor() as other:
        other.execute("SELECT pg_terminate_backend(%s)", [pid])
    assert jane.send("GET", URL).status_code == 503
    connection.close()
    jane.get(URL)
