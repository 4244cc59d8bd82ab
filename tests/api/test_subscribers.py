"""Subscribers through the API: who is told, and that nothing of a webhook but its host is ever said again."""

from __future__ import annotations

import pytest

from inventory.models import Nren
from provisioning.models import AuditEvent, IdempotencyKey, Message, Subscriber
from tests.api.conftest import Speaker

URL = "/api/v1/subscribers/"
SECRET = "a-secret-of-the-receiver"
HOOK = {"channel": "webhook", "url": "https://hooks.example.net/T0/B0/token", "secret": SECRET}


def pointers(problem: dict[str, object]) -> set[str]:
    return {each["pointer"] for each in problem["errors"]}  # type: ignore[index]


def test_a_mail_address_is_told_changed_tested_and_told_no_more(speakers: dict[str, Speaker]) -> None:
    noc = speakers["noc"]
    made = noc.post(URL, {"channel": "mail", "address": "noc@example.net", "topics": ["push-unknown"]})
    assert (made["address"], made["topics"], made["nren"]) == ("noc@example.net", ["push-unknown"], None)
    assert (made["waiting"], made["given_up"], made["sent_at"], made["error"]) == (0, 0, None, "")
    one = f"{URL}{made['id']}/"
    changed = noc.post(f"{one}change/", {"topics": ["push-failed", "bare-interface"]}, 200)
    assert changed["topics"] == ["bare-interface", "push-failed"], "the most urgent first"
    assert noc.post(f"{one}change/", {}, 200)["topics"] == ["bare-interface", "push-failed"]
    assert noc.post(f"{one}change/", {"topics": []}, 200)["topics"] == []
    message = noc.post(f"{one}test/", {}, 200)["message"]
    assert Message.objects.get(pk=message).subscriber_id == made["id"]
    assert speakers["auditor"].get(one)["waiting"] == 1
    assert speakers["auditor"].get(URL)["results"][0]["id"] == made["id"]
    for _ in range(2):  # sent twice, as its answer was lost
        assert noc.post(f"{one}end/", {}, 200, Idempotency_Key="gone")["waiting"] == 0
    noc.get(one, 404)
    noc.post(f"{one}test/", {}, 404)
    assert speakers["noc"].get(URL)["count"] == 0


def test_of_a_webhook_nothing_but_the_host_is_said_again(speakers: dict[str, Speaker]) -> None:
    noc = speakers["noc"]
    made = noc.post(URL, HOOK, Idempotency_Key="hook")
    one = f"{URL}{made['id']}/"
    assert noc.post(URL, HOOK, Idempotency_Key="hook") == made
    new = noc.post(f"{one}change/", {"url": "https://other.example.net/x/y", "secret": SECRET[::-1]}, 200)
    assert new["address"] == "https://other.example.net/"
    row = Subscriber.objects.get(pk=made["id"])
    assert (row.url, row.secret) == ("https://other.example.net/x/y", SECRET[::-1])
    said = [made, new, noc.get(one), noc.get(URL), noc.post(f"{one}test/", {}, 200)]
    kept = [
        list(IdempotencyKey.objects.values_list("response", flat=True)),
        list(
            AuditEvent.objects.filter(action__startswith="subscriber.").values_list(
                "before", "after", "reason"
            )
        ),
    ]
    for hidden in (SECRET, SECRET[::-1], "T0/B0/token", "/x/y"):
        assert hidden not in str(said) and hidden not in str(kept), hidden
    change = AuditEvent.objects.get(action="subscriber.change")
    assert change.after["new_url"] and change.after["new_secret"]


@pytest.mark.parametrize(
    ("body", "wrong"),
    [
        ({"channel": "pigeon"}, {"#/channel"}),
        ({"channel": "mail"}, {"#/address"}),
        ({"channel": "mail", "address": "nobody"}, {"#/address"}),
        ({"channel": "mail", "address": "a@example.net", "url": "https://x.example.net/"}, {"#/url"}),
        ({"channel": "webhook", "url": "https://x.example.net/"}, {"#/secret"}),
        ({**HOOK, "address": "a@example.net"}, {"#/address"}),
        ({**HOOK, "secret": "short"}, {"#/secret"}),
        ({**HOOK, "url": "http://hooks.example.net/"}, {"#/url"}),
        ({**HOOK, "url": "https://user:word@hooks.example.net/"}, {"#/url"}),
        ({**HOOK, "url": "https://127.0.0.1/"}, {"#/url"}),
        ({**HOOK, "url": "https://[::ffff:10.0.0.1]:8443/x"}, {"#/url"}),
        ({**HOOK, "url": "https://169.254.169.254/latest/meta-data/"}, {"#/url"}),
        ({**HOOK, "topics": ["weather"]}, {"#/topics/0"}),
        ({**HOOK, "topics": ["test"]}, {"#/topics/0"}),
        ({**HOOK, "nren": 0}, {"#/nren"}),
        ({**HOOK, "pager": 1}, {"#/pager"}),
    ],
)
def test_what_is_wrong_is_named_and_nothing_is_made(
    speakers: dict[str, Speaker], body: dict[str, object], wrong: set[str]
) -> None:
    problem = speakers["noc"].post(URL, body, 400)
    assert {each.split("/0")[0] for each in pointers(problem)} >= {each.split("/0")[0] for each in wrong}
    assert SECRET not in str(problem)
    assert not Subscriber.objects.exists()


def test_what_is_told_twice_or_not_an_nrens_is_refused(speakers: dict[str, Speaker]) -> None:
    noc, janet = speakers["noc"], Nren.objects.get(name="JANET")
    mail = {"channel": "mail", "address": "noc@example.net"}
    made = noc.post(URL, mail)
    assert noc.post(URL, mail, 409)["code"] == "conflict"
    assert noc.post(URL, {**mail, "nren": janet.pk})["nren"] == janet.pk
    noc.post(URL, {**mail, "nren": janet.pk, "topics": ["push-failed"]}, 400)
    assert pointers(noc.post(f"{URL}{made['id']}/change/", {"url": "https://x.example.net/"}, 400)) == {
        "#/url"
    }
