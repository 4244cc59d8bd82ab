"""`manage.py pack`: the text alone, or everything as JSON; wrong words named with exit 2."""

from __future__ import annotations

import json

import pytest
from django.core.management import call_command
from django.core.management.base import CommandError

from tests.kept import kept
from tests.web.world import build_world

pytestmark = pytest.mark.django_db


def test_the_text_alone(capsys: pytest.CaptureFixture[str]) -> None:
    asked = kept("world", build_world).requests["decision"]
    call_command("pack", asked.reference, kind="linux", uplink="eth0")
    said = capsys.readouterr().out
    assert said.startswith("#!/bin/sh\n") and said.endswith("esac\n")
    assert f"rate {asked.rate_bps}bit" in said
    call_command("pack", str(asked.pk), kind="ios", json=True)
    found = json.loads(capsys.readouterr().out)
    assert found["kind"] == "ios" and f"class-map match-all PIP-{asked.pk}" in found["text"]


@pytest.mark.parametrize(
    ("words", "reason"),
    [
        ({"kind": "windows"}, "ios or linux"),
        ({"kind": "linux", "uplink": "eth0; reboot"}, "no name of a Linux interface"),
        ({"kind": "ios", "platform": "juniper"}, "platform"),
    ],
)
def test_wrong_words_are_named(words: dict[str, str], reason: str) -> None:
    asked = kept("world", build_world).requests["decision"]
    with pytest.raises(CommandError, match=reason) as caught:
        call_command("pack", asked.reference, **words)
    assert caught.value.returncode == 2
