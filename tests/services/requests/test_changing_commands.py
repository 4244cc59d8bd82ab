"""what_if, take_offer, modify, extend, end_early, modification: what the browser does, for scripts."""

from __future__ import annotations

import json
from datetime import datetime
from io import StringIO
from zoneinfo import ZoneInfo

import pytest
from django.core.management import CommandError, call_command

from provisioning.models import Modification, PremiumRequest, Series
from tests.services.requests.sixnet import GRNET, JANET, admitted, agreed, grnet, hours, janet, noc

pytestmark = pytest.mark.usefixtures("six")

ASK = (
    "what_if", "--as", "jane", "--from", JANET, "--to", GRNET, "--source-prefix", "2001:630:8::/48",
    "--destination-prefix", "2001:648:2::/48", "--bucket", "15000",
)  # fmt: skip


def _run(*arguments: str) -> str:
    out = StringIO()
    call_command(*arguments, stdout=out)
    return out.getvalue()


def test_what_if_says_it_and_writes_nothing() -> None:
    janet()
    assert "It would fit at this moment" in _run(*ASK, "--rate", "2M")
    assert json.loads(_run(*ASK, "--rate", "2M", "--json"))["verdict"] == "admitted"
    with pytest.raises(CommandError) as refused:
        _run(*ASK, "--rate", "8M")
    assert "250 kbit/s too much" in str(refused.value) and "lower-rate" in str(refused.value)
    with pytest.raises(CommandError, match="offset"):
        _run(*ASK, "--rate", "2M", "--start", "2030-01-01T12:00")
    assert not PremiumRequest.objects.exists()


def test_an_offer_is_taken() -> None:
    request = agreed(rate=8_000_000)
    said = _run("take_offer", f"PIP-{request.pk}", "lower-rate", "--as", "jane")
    assert f"PIP-{request.pk} asks for 7.729 Mbit/s" in said and "consent given" in said
    with pytest.raises(CommandError, match="fits as it is"):
        _run("take_offer", str(request.pk), "lower-rate", "--as", "jane")


def test_a_promise_changes_from_the_range_to_its_end() -> None:
    noc()
    grnet()
    request = admitted(start=hours(1), end=hours(3))
    name = f"PIP-{request.pk}"
    told = _run("modify", name, "--as", "jane")
    assert "rate: 8 kbit/s to 7.729 Mbit/s" in told and "until further notice" in told
    with pytest.raises(CommandError, match="too much"):
        _run("modify", name, "--as", "jane", "--rate", "8M", "--what-if")
    assert "It would fit" in _run("modify", name, "--as", "jane", "--rate", "7M", "--what-if")
    assert not Modification.objects.exists()
    said = _run("modify", name, "--as", "jane", "--rate", "7M", "--reason", "a larger hall")
    made = Modification.objects.get()
    assert f"{made.reference} of {name} is PROPOSED, consent pending: 7 Mbit/s" in said
    with pytest.raises(CommandError, match="has not agreed"):
        _run("modification", made.reference, "admit", "--as", "nora", "--reason", "fits")
    _run("modification", made.reference, "agree", "--as", "giorgos", "--reason", "gladly")
    said = _run("modification", str(made.pk), "admit", "--as", "nora", "--reason", "fits")
    assert "is IN_FORCE" in said
    with pytest.raises(CommandError, match="an extension ends later"):
        _run("extend", name, "--until", hours(2).isoformat(), "--as", "jane", "--reason", "longer")
    said = _run("extend", name, "--open-ended", "--as", "jane", "--reason", "longer")
    assert "is PROPOSED" in said
    longer = Modification.objects.earliest("-pk")
    assert "is WITHDRAWN" in _run(
        "modification", longer.reference, "withdraw", "--as", "jane", "--reason", "no"
    )
    said = _run("end_early", name, "--at", hours(2).isoformat(), "--as", "jane", "--reason", "short")
    assert "is IN_FORCE" in said
    with pytest.raises(CommandError, match="write 3 or MOD-3"):
        _run("modification", "x", "admit", "--as", "nora", "--reason", "x")


def test_hold_answer_and_withdrawal_and_a_series_from_its_wish_to_its_end() -> None:
    noc()
    janet()
    grnet()
    wish = (
        "--from",
        JANET,
        "--to",
        GRNET,
        "--source-prefix",
        "2001:630:8::/48",
        "--bucket",
        "15000",
        "--rate",
        "2M",
    )
    said = _run(
        "ask", "--as", "jane", *wish, "--contact", "noc@example.org", "--start", hours(30).isoformat()
    )
    assert "is SUBMITTED, consent pending" in said
    name = PremiumRequest.objects.get().reference
    assert "is HELD until" in _run(
        "hold", name, "--until", hours(3).isoformat(), "--as", "nora", "--reason", "talks"
    )
    assert "is SUBMITTED" in _run("hold", name, "--release", "--as", "nora", "--reason", "over")
    assert "consent given" in _run("consent", name, "--agree", "--as", "giorgos")
    assert "is WITHDRAWN" in _run("withdraw", name, "--as", "jane", "--reason", "no concert")
    again = (
        *wish,
        "--start",
        hours(30).isoformat(),
        "--end",
        hours(31).isoformat(),
        "--rrule",
        "FREQ=DAILY;COUNT=3",
    )
    assert _run("what_if", "--as", "jane", *again).count(": fits") == 3
    athens = (*again, "--time-zone", "Europe/Athens")
    told = json.loads(_run("what_if", "--as", "jane", *athens, "--json"))
    begins = datetime.fromisoformat(again[again.index("--start") + 1])
    local = begins.astimezone(ZoneInfo("Europe/Athens"))
    assert told["fits"] and [each["fits"] for each in told["items"]] == [True] * 3
    assert (told["items"][0]["start"], told["items"][0]["start_local"]) == (
        begins.isoformat(),
        local.isoformat(),
    )
    assert f"{local:%a %Y-%m-%d %H:%M %Z} (" in _run("what_if", "--as", "jane", *athens)
    blocking = agreed(rate=7_000_000, start=hours(50), end=hours(60))
    _run("admit", blocking.reference, "--as", "nora", "--reason", "fits")
    with pytest.raises(CommandError, match="1 of 3 occurrences would not fit"):
        _run("what_if", "--as", "jane", *again)
    assert "3 occurrences" in _run("ask", "--as", "jane", *again, "--contact", "noc@example.org")
    again_name = Series.objects.get().reference
    _run("series", again_name, "--take-offer", "--as", "jane")
    _run("series", again_name, "--agree", "--as", "giorgos")
    assert "3 ADMITTED" in _run("series", again_name, "--admit", "--as", "nora", "--reason", "fits")
    said = _run(
        "series", again_name, "--end-early", "--at", hours(40).isoformat(), "--as", "jane", "--reason", "x"
    )
    assert "1 ADMITTED, 2 WITHDRAWN" in said
