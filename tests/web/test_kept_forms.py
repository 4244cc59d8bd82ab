"""A session that ends in the middle of a form: what was typed comes back, to whoever wrote it and to nobody else."""

from __future__ import annotations

from datetime import timedelta

from django.contrib.sessions.models import Session
from django.test import Client
from django.utils import timezone

from provisioning.models import KeptForm, PremiumRequest
from provisioning.services import kept_forms
from tests.web.text import page_text
from tests.web.world import PASSWORD, World

ASK = "/my/ask/"
WRITTEN = {"rate": "not a rate", "reason": "Typed for <an hour>", "password": "hidden", "try": "1"}


def signed_in(name: str, client: Client | None = None) -> Client:
    client = client or Client()
    answer = client.post("/sign-in/", {"username": name, "password": PASSWORD, "next": ASK})
    assert (answer.status_code, answer["Location"]) == (302, ASK)
    return client


def test_what_was_typed_comes_back_to_its_writer_alone(world: World) -> None:
    client, requests = signed_in("jane"), PremiumRequest.objects.count()
    Session.objects.all().delete()
    answer = client.post(ASK, WRITTEN)
    assert answer.status_code == 302 and answer["Location"].startswith("/sign-in/?next=/my/ask/")
    row = KeptForm.objects.get()
    assert dict(row.fields) == {"rate": ["not a rate"], "reason": ["Typed for <an hour>"]}

    # Somebody else at the same browser; the writer without that browser; the writer on another page.
    other = signed_in("giorgos", Client())
    other.cookies["kept"] = "1"
    assert "an hour" not in page_text(other.get(ASK))
    assert "an hour" not in page_text(signed_in("jane").get(ASK))
    signed_in("jane", client)
    assert "an hour" not in page_text(client.get(f"{ASK}?from=1"))

    for _ in range(2):  # it is loaded again, or its answer was lost
        text = page_text(client.get(ASK))
        assert (
            "Typed for &lt;an hour&gt;" in text
            and "Say how many bit/s" in text
            and "nothing was done" in text
        )
    KeptForm.objects.update(shown_at=timezone.now() - kept_forms.AGAIN - timedelta(seconds=1))
    assert "an hour" not in page_text(client.get(ASK))
    client.post(ASK, {"rate": "2M"})
    assert not KeptForm.objects.exists() and "kept" not in {k for k, v in client.cookies.items() if v.value}
    assert PremiumRequest.objects.count() == requests


def test_a_restored_page_does_nothing_whatever_stood_in_it(world: World) -> None:
    """What would be a deed as a POST is a page as a GET: a reason that was kept withdraws nothing."""
    request = world.requests["decision"]
    address = f"/requests/{request.pk}/withdraw/"
    client = signed_in("jane")
    Session.objects.all().delete()
    client.post(address, {"reason": "Not needed", "terms": "x"})
    signed_in("jane", client)
    assert "Not needed" in page_text(client.get(address))
    assert PremiumRequest.objects.get(pk=request.pk).state == request.state


def test_what_is_kept_is_bounded_and_says_who_wrote_it(world: World) -> None:
    jane = world.users["jane"].pk
    keep = lambda **more: kept_forms.keep(user_id=jane, address=ASK, **more)  # noqa: E731
    assert not keep(fields=[("reason", ["x" * (kept_forms.LONGEST + 1)])])
    assert not keep(fields=[(str(number), ["x"]) for number in range(kept_forms.MOST_FIELDS + 1)])
    assert not keep(fields=[("api_token", ["x"])])
    assert not kept_forms.keep(user_id=10**9, address=ASK, fields=[("reason", ["x"])])
    assert keep(fields=[("reason", ["x"])]) and keep(fields=[("reason", ["y"])])
    assert KeptForm.objects.get().fields == [["reason", ["y"]]]
    # A cookie of somebody's own making, and none: nothing is kept.
    KeptForm.objects.all().delete()
    for cookie in (f"{jane}:1abcde:forged", ""):
        client = Client()
        client.cookies["last"] = cookie
        assert client.post(ASK, {"reason": "x"}).status_code == 302
    assert not KeptForm.objects.exists()
    assert keep(fields=[("reason", ["x"])])
    KeptForm.objects.update(kept_at=timezone.now() - kept_forms.LASTS - timedelta(seconds=1))
    assert kept_forms.give_back(user_id=jane, address=ASK) == ()


def test_a_text_that_holds_passwords_is_not_kept_nor_one_that_no_database_keeps(world: World) -> None:
    client = signed_in("jane")
    Session.objects.all().delete()
    for reason in ("routers:\n  - management: {host: r1, password: hidden}", "a NUL: \0"):
        assert client.post(ASK, {"reason": reason}).status_code == 302
        assert not KeptForm.objects.exists()
    world.users["jane"].set_password("another one by now")
    world.users["jane"].save()
    client.post(ASK, WRITTEN)
    assert not KeptForm.objects.exists(), "whoever is left at that browser writes nothing in her name"
