"""`manage.py token` in all its forms: issue narrow and for anybody, list, rotate, revoke (issue 11, row 4)."""

from __future__ import annotations

from datetime import timedelta

import pytest
from django.core.management.base import CommandError
from django.utils import timezone

from provisioning.errors import NotPermitted
from provisioning.models import ApiToken, AuditEvent, Role
from provisioning.services import tokens
from tests.management.test_people_commands import network as network
from tests.management.test_people_commands import say

pytestmark = pytest.mark.usefixtures("network")


def test_scope_expiry_and_networks_are_set() -> None:
    text = say(
        "token", "JANET", "--scope", "read", "--expires", "90d", "--network", "192.0.2.0/24", "--network", "2001:db8::/32"
    )[0].strip()  # fmt: skip
    token = tokens.authenticate(text=text, address="2001:db8::1")
    assert (token.scopes, token.allowed_networks) == (["read"], ["192.0.2.0/24", "2001:db8::/32"])
    assert abs(token.expires_at - timezone.now() - timedelta(days=90)) < timedelta(minutes=1)
    with pytest.raises(NotPermitted):
        tokens.authenticate(text=text, address="198.51.100.1")


@pytest.mark.parametrize("role", ["noc", "auditor", "noc-approver", "administrator"])
def test_a_person_of_any_role_gets_a_token(role: str) -> None:
    say("person", "anna", "--role", role)
    text = say("token", "--person", "anna")[0].strip()
    actor = tokens.actor_of(tokens.authenticate(text=text, address=None))
    assert actor.label == "anna" and actor.roles & {
        Role.OPERATOR,
        Role.APPROVER,
        Role.AUDITOR,
        Role.ADMINISTRATOR,
    }


def test_tokens_are_listed_rotated_and_revoked() -> None:
    text = say("token", "JANET", "--name", "script", "--expires", "2099-01-01")[0].strip()
    prefix = text.split("_")[1]
    (line,) = say("token", "--list")[0].splitlines()
    assert (
        line.startswith(f"{prefix}  live ")
        and "api-janet for JANET: script (read+write, until 2099-01-01T00:00Z" in line
    )
    assert text.split("_", 2)[2] not in line
    new = say("token", "--rotate", prefix, "--reason", "weekly", "--overlap", "1h")[0].strip()
    assert tokens.authenticate(text=text, address=None) and tokens.authenticate(text=new, address=None)
    assert "is revoked" in say("token", "--revoke", new, "--reason", "leaked")[0], (
        "a whole text is found by its public part"
    )
    with pytest.raises(NotPermitted):
        tokens.authenticate(text=new, address=None)
    assert [line.split()[1] for line in say("token", "JANET", "--list")[0].splitlines()] == [
        "revoked",
        "expires",
    ]
    assert say("token", "DFN", "--list")[0] == ""
    assert set(AuditEvent.objects.filter(reason="leaked").values_list("action", flat=True)) == {
        "token.revoke"
    }


@pytest.mark.parametrize(
    "words",
    [
        (),
        ("--person", "nobody"),
        ("JANET", "--expires", "yesterday"),
        ("JANET", "--expires", "2001-01-01"),
        ("JANET", "--network", "192.0.2.1/24"),
        ("JANET", "--rotate", "abc", "--reason", "x"),
        ("--rotate", "abcdef", "--reason", "x"),
        ("--revoke", "abcdef", "--reason", "x"),
        ("--list", "--scope", "read"),
        ("JANET", "--overlap", "1h"),
        ("--list", "--as", "nobody"),
    ],
)
def test_what_cannot_be_meant_is_two(words: tuple[str, ...]) -> None:
    with pytest.raises(CommandError) as refused:
        say("token", *words)
    # What argparse refuses is two as well, where the command is typed.
    assert refused.value.returncode == 2 or "argument" in str(refused.value)
    assert not ApiToken.objects.exists()


def test_a_reason_is_asked_for() -> None:
    prefix = say("token", "JANET")[0].split("_")[1]
    for deed in ("--rotate", "--revoke"):
        with pytest.raises(CommandError, match="say why") as refused:
            say("token", deed, prefix)
        assert refused.value.returncode == 2


def test_who_is_named_does_no_more_than_the_table_gives() -> None:
    say("person", "nora", "--role", "noc")
    prefix = say("token", "JANET")[0].split("_")[1]
    with pytest.raises(CommandError) as refused:
        say("token", "--revoke", prefix, "--reason", "x", "--as", "nora")
    assert refused.value.returncode == 2, "it is not there for nora"
    with pytest.raises(CommandError) as refused:
        say("token", "--person", "api-janet", "--as", "nora")
    assert refused.value.returncode == 1
