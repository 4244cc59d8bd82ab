"""plan, approve, push, verify as somebody on call types them."""

from __future__ import annotations

import json
from io import StringIO

import pytest
from django.core.management import call_command
from django.core.management.base import CommandError

from inventory.models import CoreLink
from provisioning.models import Change
from tests.services.backbone import Backbone

pytestmark = pytest.mark.once


def say(*arguments: str) -> tuple[int, str]:
    """What a command printed, and how it ended."""
    out = StringIO()
    try:
        call_command(*arguments, stdout=out)
    except SystemExit as end:
        return int(end.code or 0), out.getvalue()
    return 0, out.getvalue()


def test_the_four_commands_carry_the_baseline(backbone: Backbone) -> None:
    code, text = say("verify", "--json")
    assert code == 1
    assert {row["state"] for row in json.loads(text)} == {"differs"}

    code, text = say("plan", "--as", "planner", "--reason", "roll-out")
    assert code == 0
    change = Change.objects.get()
    assert f"{change.reference}  Baseline of 6NET" in text
    assert "=== uk6  edges  PLANNED" in text
    assert "=== uk6  core-on  PLANNED" in text
    assert "service-policy input TRUSTED-IN" in text
    assert f"manage.py approve {change.pk}" in text
    assert "uk6 POS1/0 TRUSTED-IN, class EF: polices 7.75 Mbit/s at layer 2 (5 % of BW 155 Mbit/s)" in text
    assert "directions of core links stay within the share" in text
    shown = json.loads(say("plan", "--show", str(change.pk), "--json")[1])
    assert {row["link"] for row in shown["rates"]["convergence"]} == {
        link.name for link in CoreLink.objects.all()
    }
    assert all(
        row["sum_bps"] == sum(cap["cap_bps"] for cap in row["caps"]) for row in shown["rates"]["convergence"]
    )
    assert {row["router"] for row in shown["rates"]["policers"]} == {"gr6", "uk6"}

    with pytest.raises(CommandError, match=r"not approved|approve it first"):
        say("push", str(change.pk))
    with pytest.raises(CommandError, match="was planned by you"):
        say("approve", str(change.pk), "--as", "planner")
    code, text = say("approve", change.reference, "--as", "approver", "--reason", "read line by line")
    assert code == 0
    assert "gr6, nl6, uk6" in text

    backbone.fault("uk6", "slow", line=5, seconds=2, times=1)  # long enough to be seen under way
    code, text = say("push", str(change.pk), "--as", "approver")
    assert code == 0, text
    assert "uk6    edges    PUSHING     line" in text
    assert f"{change.reference} is VERIFIED." in text

    code, text = say("verify")
    assert code == 0
    assert text.count("in sync") == 3

    backbone.console("gr6", "interface POS1/0", "no service-policy output my_policy")
    code, text = say("verify", "--router", "gr6")
    assert code == 1
    assert "wanted  service-policy my_policy" in text
    assert "found   nothing" in text
    backbone.fault("gr6", "unreachable")
    code, text = say("verify")
    assert code == 2
    assert "gr6    UNKNOWN: " in text


def test_a_push_that_was_taken_back_is_not_success(backbone: Backbone) -> None:
    code, text = say("plan", "--router", "uk6", "--as", "planner", "--json")
    assert code == 0
    planned = json.loads(text)
    assert planned["pushes"][0]["commands"][0] == "class-map match-all EF"
    say("approve", str(planned["id"]), "--as", "approver")
    backbone.fault("uk6", "refuse", match="^police", message="% Invalid input detected at '^' marker.")
    code, text = say("push", str(planned["id"]), "--json")
    assert code == 1
    pushed = json.loads(text)
    assert pushed["state"] == "ROLLED_BACK"
    assert "was refused" in pushed["pushes"][0]["error"]


def test_a_plan_with_an_unread_router_says_so_and_fails(backbone: Backbone) -> None:
    backbone.fault("gr6", "unreachable")
    code, text = say("plan")
    assert code == 1
    assert "Not read, and left out when the rest is approved:" in text
    assert "gr6: UNKNOWN" in text
    assert "OPEN EDGE  gr6 every interface: not read" in text
    with pytest.raises(CommandError, match="there is no router 'xx6'"):
        say("plan", "--router", "xx6")
