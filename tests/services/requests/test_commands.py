"""token, admit and refuse: what the browser does, for scripts, as a named user, under the same rules."""

from __future__ import annotations

from io import StringIO

import pytest
from django.contrib.auth.models import User
from django.core.management import CommandError, call_command

from provisioning.selectors.waiting import wait_of
from provisioning.services import tokens
from tests.services.requests.sixnet import agreed, janet, noc, submitted

pytestmark = pytest.mark.usefixtures("six")


def _run(*arguments: str) -> str:
    out = StringIO()
    call_command(*arguments, stdout=out)
    return out.getvalue()


def test_token_prints_a_token_that_works_and_nothing_else() -> None:
    text = _run("token", "janet").strip()
    token = tokens.authenticate(text=text, address=None)
    assert (token.user.get_username(), token.nren.name if token.nren else "") == ("api-janet", "JANET")
    assert not token.user.has_usable_password()
    assert _run("token", "JANET").strip() != text


def test_token_of_a_named_member() -> None:
    janet()
    token = tokens.authenticate(text=_run("token", "JANET", "--user", "jane").strip(), address=None)
    assert token.user == User.objects.get(username="jane")
    for wrong in (
        ("token", "NOWHERE"),
        ("token", "JANET", "--user", "nobody"),
        ("token", "DFN", "--user", "jane"),
    ):
        with pytest.raises(CommandError):
            _run(*wrong)


@pytest.mark.parametrize("form", ["{}", "PIP-{}", "pip-{}"])
def test_admit_shows_the_evidence_and_the_outcome(form: str) -> None:
    noc()
    request = agreed()
    said = _run("admit", form.format(request.pk), "--as", "nora", "--reason", "it fits")
    assert (
        "JANET@uk6:POS1/0 in: 2 Mbit/s asked, 0 bit/s committed, share 7.75 Mbit/s (5 % of 155 Mbit/s)"
        in said
    )
    assert "20 % of 155 Mbit/s, our choice" in said
    decided, waits = said.splitlines()[-2:]
    assert decided == f"PIP-{request.pk} is ADMITTED."
    request.refresh_from_db()
    wait = wait_of(request)
    assert wait is not None and waits == f"Waits: {wait.text}", "as the page and the API say it"


def test_admit_says_why_not_and_what_would_fit() -> None:
    noc()
    request = agreed(rate=8_000_000)
    with pytest.raises(CommandError) as refused:
        _run("admit", str(request.pk), "--as", "nora", "--reason", "try")
    assert "JANET@uk6:POS1/0 in" in str(refused.value)
    assert "250 kbit/s too much" in str(refused.value)
    assert "would fit: 7.729 Mbit/s fits the whole window" in str(refused.value)
    _run("refuse", str(request.pk), "--as", "nora", "--reason", "does not fit")
    request.refresh_from_db()
    assert request.state == "REFUSED"


def test_the_rules_are_those_of_the_browser() -> None:
    noc()
    request = submitted()
    for wrong in (
        ("admit", str(request.pk), "--as", "nora", "--reason", "no consent"),
        ("admit", str(request.pk), "--as", "jane", "--reason", "not the NOC"),
        ("admit", str(request.pk), "--as", "nobody", "--reason", "x"),
        ("admit", "999999", "--as", "nora", "--reason", "x"),
        ("admit", "x", "--as", "nora", "--reason", "x"),
        ("refuse", str(request.pk), "--as", "nora", "--reason", " "),
        ("admit", str(request.pk), "--reason", "nobody"),
    ):
        with pytest.raises(CommandError):
            _run(*wrong)
    request.refresh_from_db()
    assert request.state == "SUBMITTED"
