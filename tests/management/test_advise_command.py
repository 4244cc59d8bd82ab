"""`manage.py advise`: by numbers without a database, by request with one, wrong words named with exit 2."""

from __future__ import annotations

import json

import pytest
from django.core.management import call_command
from django.core.management.base import CommandError

from tests.kept import kept
from tests.web.world import build_world


def test_by_rate(capsys: pytest.CaptureFixture[str]) -> None:
    call_command("advise", rate="50M", traffic="elastic")
    said = capsys.readouterr().out
    assert "police cir 50000000 bc 250000 conform-action transmit exceed-action drop" in said
    assert "Bc* = 1.5 Mbit + 0.01 s × rate" in said
    call_command("advise", rate="50M", traffic="elastic", json=True)
    assert json.loads(capsys.readouterr().out)["policer"]["bucket_bytes"] == 250_000


@pytest.mark.django_db
def test_by_request(capsys: pytest.CaptureFixture[str]) -> None:
    asked = kept("world", build_world).requests["decision"]
    call_command("advise", asked.reference, json=True)
    found = json.loads(capsys.readouterr().out)
    assert (found["rate_bps"], found["max_packet_bytes"]) == (asked.rate_bps, asked.max_packet_bytes)
    assert found["platform"]["platform"] == "cisco-12000"


@pytest.mark.django_db
@pytest.mark.parametrize(
    ("words", "reason"),
    [
        ({}, "Name a request or a --rate"),
        ({"rate": "fast"}, "not a rate"),
        ({"rate": "5M", "traffic": "bulk"}, "elastic or real-time"),
        ({"rate": "5M", "mtu": 0}, "max_packet_bytes"),
        ({"rate": "5M", "platform": "cisco-xr"}, "platform"),
        ({"request": "PIP-x"}, "Not a request"),
        ({"request": "PIP-404"}, "There is no request"),
    ],
)
def test_wrong_words_are_named(words: dict[str, object], reason: str) -> None:
    arguments = [words.pop("request")] if "request" in words else []
    with pytest.raises(CommandError, match=reason) as caught:
        call_command("advise", *arguments, **words)
    assert caught.value.returncode == 2
