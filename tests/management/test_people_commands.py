"""person, token and verify_audit as an administrator types them; make's list of targets."""

from __future__ import annotations

import io
import json
import os
import pwd
import subprocess
from pathlib import Path
from typing import Any

import pytest
from allauth.usersessions.models import UserSession
from django.contrib.auth.models import User
from django.contrib.sessions.models import Session
from django.core.management import call_command
from django.core.management.base import CommandError
from django.test import Client

from inventory.models import Nren
from provisioning.management import acting
from provisioning.models import SYSTEM, ApiToken, AuditEvent, Role, Via
from provisioning.pipeline.authority import STAFF_OF_THE_NOC
from provisioning.services import people, tokens
from tests.web.world import build_network

ROOT = Path(__file__).resolve().parents[2]


def say(*arguments: str) -> tuple[str, str]:
    """What a command printed on standard output and standard error."""
    out, err = io.StringIO(), io.StringIO()
    call_command(*arguments, stdout=out, stderr=err)
    return out.getvalue(), err.getvalue()


@pytest.fixture
def network(db: None) -> None:
    build_network()


@pytest.mark.usefixtures("network")
def test_a_person_gets_exactly_the_roles_and_nrens_named() -> None:
    assert say("person", "nora", "--role", "noc", "--email", "nora@example.org")[0].startswith("nora: noc\n")
    assert "for JANET" in say("person", "jane", "--nren", "JANET")[0]
    jane = people.actor_named("jane", via=Via.API)
    assert jane.nren_ids == {Nren.objects.get(name="JANET").pk}
    assert Role.NREN in jane.roles
    with pytest.raises(CommandError, match="not given together"):
        say("person", "jane", "--role", "auditor")
    say("person", "jane", "--role", "auditor", "--no-nren")
    again = people.actor_named("jane", via=Via.API)
    assert (again.nren_ids, again.sees_everything, again.is_noc) == (set(), True, False)
    assert AuditEvent.objects.filter(action="person.put").count() == 3


@pytest.mark.usefixtures("network")
def test_what_is_typed_is_recorded_with_the_account_of_the_system(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(acting, "account", lambda: "anna as expedite")
    say("person", "nora", "--role", "noc")
    assert people.actor_named("nora", via=Via.WEB).roles == STAFF_OF_THE_NOC
    event = AuditEvent.objects.get(action="person.put")
    assert (event.actor, event.via, event.account) == ("command line", "cli", "anna as expedite")
    say("person", "adam", "--role", "administrator")
    text = say("token", "JANET", "--as", "adam")[0].strip()
    assert tokens.authenticate(text=text, address=None).issued_by.get_username() == "adam"
    event = AuditEvent.objects.get(action="token.issue")
    assert (event.actor, event.account) == ("adam", "anna as expedite")
    with pytest.raises(CommandError, match="auditor and noc-operator are not given together"):
        say("person", "both", "--role", "noc", "--role", "auditor")


def test_the_account_is_the_one_that_signed_in_where_the_kernel_says_so(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    login = tmp_path / "loginuid"
    monkeypatch.setattr(acting, "_LOGIN", login)
    mine = pwd.getpwuid(os.getuid()).pw_name
    for said in (None, "4294967295", str(os.getuid()), "x"):
        if said is not None:
            login.write_text(said)
        assert acting.account() == mine
    login.write_text("54321")
    assert acting.account() == f"uid 54321 as {mine}"


@pytest.mark.usefixtures("network")
def test_a_password_is_read_from_standard_input_and_must_be_good(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sys.stdin", io.StringIO("correct-horse-battery\n"))
    out, err = say("person", "nora", "--role", "noc", "--password-stdin")
    assert User.objects.get(username="nora").check_password("correct-horse-battery")
    assert "horse" not in out + err
    monkeypatch.setattr("sys.stdin", io.StringIO("123\n"))
    with pytest.raises(CommandError, match="too short") as refused:
        say("person", "niels", "--role", "noc", "--password-stdin")
    assert refused.value.returncode == 2
    assert not User.objects.filter(username="niels").exists()


@pytest.mark.usefixtures("network")
def test_who_has_no_password_is_told_so_with_the_command_that_sets_one(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    told = say("person", "jane", "--role", "nren-reader", "--nren", "JANET")[0]
    assert "jane cannot sign in" in told
    again = "person jane --password"
    assert f"`manage.py {again}` asks for one" in told
    monkeypatch.setattr("sys.stdin", io.StringIO("correct-horse-battery\n"))  # no terminal: it is read
    assert say(*again.split())[0] == "jane: nren-reader, for JANET\n"
    assert User.objects.get(username="jane").check_password("correct-horse-battery")
    assert "cannot sign in" not in say("person", "jane", "--nren", "JANET")[0]


@pytest.mark.usefixtures("network")
def test_who_sets_a_password_takes_no_role_and_no_nren_away(monkeypatch: pytest.MonkeyPatch) -> None:
    say("person", "zoe", "--role", "noc-operator", "--nren", "JANET")
    monkeypatch.setattr("sys.stdin", io.StringIO("correct-horse-battery\n"))
    assert say("person", "zoe", "--password")[0] == "zoe: noc-operator, nren, for JANET\n"
    assert say("person", "zoe", "--role", "noc-approver")[0] == "zoe: noc-approver, nren, for JANET\n"
    assert say("person", "zoe", "--nren", "GRNET")[0] == "zoe: noc-approver, nren, for GRNET\n"
    assert say("person", "zoe", "--no-nren")[0] == "zoe: noc-approver\n"
    assert say("person", "zoe", "--no-role")[0] == "zoe: no role\n"
    assert say("person", "new")[0].startswith("new: no role\n")


@pytest.mark.usefixtures("network")
def test_an_unknown_nren_is_named_with_those_there_are() -> None:
    for command in (("person", "jane", "--nren", "NOWHERE"), ("token", "NOWHERE")):
        with pytest.raises(CommandError, match=r"NOWHERE.*JANET"):
            say(*command)
    assert not User.objects.exists()


@pytest.mark.usefixtures("network")
def test_a_token_is_printed_once_and_speaks_for_its_nren() -> None:
    text = say("token", "janet", "--name", "script")[0].strip()
    found = tokens.authenticate(text=text, address="127.0.0.1")
    assert (found.nren.name, found.name) == ("JANET", "script")
    assert text not in str(list(ApiToken.objects.values()))
    with pytest.raises(CommandError, match="no user 'nobody'"):
        say("token", "JANET", "--user", "nobody")


@pytest.mark.usefixtures("network")
def test_the_audit_trail_is_whole_until_somebody_edits_it(tampering: None) -> None:
    say("person", "nora", "--role", "noc")
    out, _ = say("verify_audit")
    assert out.startswith(f"{AuditEvent.objects.count()} events, unbroken. Head: ")
    first = AuditEvent.objects.order_by("sequence").first()
    assert first is not None
    AuditEvent.objects.filter(pk=first.pk).update(reason="something else")
    err = io.StringIO()
    with pytest.raises(SystemExit) as ended:
        call_command("verify_audit", stdout=io.StringIO(), stderr=err)
    assert ended.value.code == 1
    assert f"event {first.sequence}: " in err.getvalue()


@pytest.mark.usefixtures("network")
def test_a_signed_head_finds_what_the_trail_itself_cannot_tell(tmp_path: Path, settings: Any) -> None:
    settings.AUDIT_SIGNING_KEY = "MDAwMDAwMDAwMDAwMDAwMDAwMDAwMDAwMDAwMDAwMDA="
    file = tmp_path / "head.json"
    say("person", "nora", "--role", "noc")
    assert "Signed and written" in say("verify_audit", "--export", str(file))[0]
    assert "unbroken" in say("verify_audit", "--signed", str(file))[0]
    head = json.loads(file.read_text())["head"]
    assert "unbroken" in say("verify_audit", "--head", head)[0]
    with pytest.raises(SystemExit):
        call_command("verify_audit", "--head", "1" * 64, stdout=io.StringIO(), stderr=io.StringIO())
    with pytest.raises(CommandError, match="64 hexadecimal digits"):
        say("verify_audit", "--head", "abc")
    file.write_text(file.read_text().replace(head, "1" * 64))
    with pytest.raises(CommandError, match="the signature is not of this head"):
        say("verify_audit", "--signed", str(file))
    settings.AUDIT_SIGNING_KEY = ""
    with pytest.raises(CommandError, match="AUDIT_SIGNING_KEY is not set"):
        say("verify_audit", "--export", str(file))


def test_make_alone_prints_every_target() -> None:
    told = subprocess.run(["make", "-C", str(ROOT)], capture_output=True, text=True, check=True).stdout
    for target in ("setup", "demo", "test", "check", "bench", "format", "lock", "docs", "clean"):
        assert f"make {target} " in told


def test_the_demo_knows_its_schemes() -> None:
    with pytest.raises(CommandError, match="invalid choice: 'other'"):
        say("demo", "--once", "--scheme", "other")


@pytest.mark.django_db
def test_a_replaced_password_is_on_record_and_the_same_again_is_not() -> None:
    for password in ("first of three words", "second of three words", "second of three words"):
        people.put_person(actor=SYSTEM, username="anna", password=password)
    events = AuditEvent.objects.filter(action="person.put", object_label="anna").order_by("sequence")
    assert [(event.after or {}).get("password") for event in events] == ["set", "replaced"]
    assert "three words" not in str([(event.before, event.after) for event in events])


@pytest.mark.django_db
def test_another_password_ends_the_sessions_and_the_same_again_does_not(client: Client) -> None:
    anna = people.put_person(actor=SYSTEM, username="anna", password="first of three words")
    client.force_login(anna)
    client.get("/me/")
    for password, left in (("first of three words", 1), ("second of three words", 0)):
        people.put_person(actor=SYSTEM, username="anna", password=password)
        assert Session.objects.count() == UserSession.objects.count() == left
    event = AuditEvent.objects.get(action="person.sessions.end")
    assert event.reason == "another password" and event.after["ended"] == 1
