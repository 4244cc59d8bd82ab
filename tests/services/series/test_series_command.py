"""`manage.py series`: what the pages do, for scripts."""

from __future__ import annotations

import json
from datetime import timedelta
from io import StringIO

import pytest
from django.core.management import CommandError, call_command

from provisioning.models import PremiumRequest
from tests.services.requests.sixnet import admitted, hours, noc
from tests.services.series.weekly import ATHENS, agreed_to, states


def run(*arguments: str) -> str:
    out = StringIO()
    call_command("series", *arguments, stdout=out)
    return out.getvalue()


def test_shown_held_released_admitted_and_withdrawn() -> None:
    made = agreed_to()
    noc("nora")
    said = run(made.reference, "--as", "nora")
    assert said.count(": fits") == 4 and "4 SUBMITTED" in said
    first = PremiumRequest.objects.filter(series=made).earliest("start")
    at = first.start.astimezone(ATHENS)
    assert (
        f"{first.reference} {at:%a %Y-%m-%d} 09:00 {at:%Z} ({first.start:%Y-%m-%d %H:%M}:00 UTC): fits"
        in said
    )
    until = hours(5).strftime("%Y-%m-%dT%H:%MZ")
    run(str(made.pk), "--as", "nora", "--hold", until, "--reason", "they talk")
    assert states(made) == ["HELD"] * 4
    run(made.reference, "--as", "nora", "--unhold", "--reason", "they do not")
    told = json.loads(run(made.reference, "--as", "nora", "--admit", "--reason", "a course", "--json"))
    assert told["granted"] and told["states"] == {"ADMITTED": 4} and told["time_zone"] == "Europe/Athens"
    one = told["occurrences"][0]
    assert (one["start"], one["start_local"]) == (first.start.isoformat(), at.isoformat())
    assert one["end_local"] == (at + timedelta(hours=2)).isoformat()
    assert "4 WITHDRAWN" in run(made.reference, "--as", "nora", "--withdraw", "--reason", "over")


def test_what_does_not_fit_is_named_and_the_exit_says_so() -> None:
    made = agreed_to(rate=4_000_000)
    noc("nora")
    second = PremiumRequest.objects.filter(series=made).order_by("start")[1]
    admitted(rate=5_000_000, start=second.start, end=second.end)
    with pytest.raises(CommandError, match="nothing was granted"):
        run(made.reference, "--as", "nora", "--admit", "--reason", "a course")
    said = run(made.reference, "--as", "nora")
    assert (
        f"{second.reference} " in said and "too much" in said and "would fit every one: 2.729 Mbit/s" in said
    )
    assert (
        "refused"
        not in run(made.reference, "--as", "nora", "--refuse", "--reason", "no room").lower().split("ser-")[0]
    )
    assert states(made) == ["REFUSED"] * 4


@pytest.mark.parametrize("name", ["x", "SER-", "PIP-1", "9" * 40, "SER-999"])
def test_what_is_no_series(name: str) -> None:
    noc("nora")
    with pytest.raises(CommandError):
        run(name, "--as", "nora")
