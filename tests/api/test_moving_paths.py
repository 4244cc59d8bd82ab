"""Case (a), as two NRENs meet it through the API: who asks next is judged by the path of now, who was there reads of the move."""

from __future__ import annotations

from pathlib import Path

import pytest
from django.core.management import call_command

from inventory.models import Nren
from provisioning.models import SYSTEM, PremiumRequest, Role
from provisioning.services import decisions, people, tokens
from tests.api.conftest import START, Speaker
from tests.services.requests.sixnet import noc
from tests.services.topology.diamond import DIAMOND, MBIT, access, core, network, put

pytestmark = [pytest.mark.django_db, pytest.mark.once]
URL = "/api/v1/premium-requests/"
AB, CD = core(0), core(3)
CHANGES = ("metric", "new link", "removed", "down")


@pytest.fixture
def file(tmp_path: Path) -> Path:
    put(network(tmp_path / "network.yaml", DIAMOND))
    return tmp_path / "network.yaml"


def speaker(name: str) -> Speaker:
    """Who acts for the NREN at that router."""
    nren = Nren.objects.get(name=f"N{name}")
    user = people.put_person(actor=SYSTEM, username=f"of-{name}", nrens=[nren])
    return Speaker(tokens.issue(actor=SYSTEM, user=user, nren=nren, name="t")[1])


def wish(source: str, number: int, rate: int) -> dict[str, object]:
    """From there to d, open to the end."""
    return {
        "source_link": access(source),
        "destination_link": access("d"),
        "rate_bps": rate,
        "start": START.isoformat(),
        "source_prefixes": [f"2001:db8:{number}00::/48"],
        "destination_prefixes": ["2001:db8:400::/48"],
        "bucket_bytes": 6000,
        "max_packet_bytes": 1500,
        "contact": "noc@example.org",
    }


def change(file: Path, how: str) -> None:
    """Let a-c-d be the way instead of a-b-d."""
    if how == "metric":
        put(network(file, (("a", "b", 100), *DIAMOND[1:])))
    elif how == "new link":
        put(network(file, (*DIAMOND, ("a", "c", 1))))
    else:
        call_command("core_link", AB, "--remove" if how == "removed" else "--down", reason="planned work")


def admit(made: dict[str, object]) -> None:
    decisions.admit(actor=noc(), request=PremiumRequest.objects.get(pk=made["id"]), reason="fits")


@pytest.mark.parametrize("how", CHANGES)
def test_who_asks_after_the_change_is_judged_by_the_path_of_now(file: Path, how: str) -> None:
    first, second = speaker("a"), speaker("c")
    granted = first.post(URL, wish("a", 1, 4 * MBIT))
    admit(granted)
    change(file, how)
    seen = first.get(f"{URL}{granted['id']}/")
    assert seen["state"] == "ADMITTED"
    assert seen["fit"]["fits"], "4 Mbit/s fit where they are now"
    assert seen["fit"]["moving_since"] is not None
    asked = second.post(URL, wish("c", 3, 4 * MBIT))
    shown = second.get(f"{URL}{asked['id']}/")["evidence"]
    assert shown["verdict"] == "refused"
    assert {reason["code"] for reason in shown["reasons"]} == {"share-exceeded"}
    assert "PIP-" not in str(shown["reasons"]), "who is there is not for the other NREN to read"


@pytest.mark.parametrize("how", CHANGES)
def test_whom_the_change_leaves_without_room_reads_that_and_nothing_of_others(file: Path, how: str) -> None:
    first, second = speaker("a"), speaker("c")
    ones = first.post(URL, wish("a", 1, 3 * MBIT))
    others = second.post(URL, wish("c", 3, 2 * MBIT))
    admit(ones)
    admit(others)
    for who, made in ((first, ones), (second, others)):
        assert who.get(f"{URL}{made['id']}/")["fit"]["fits"]
    change(file, how)
    for who, made in ((first, ones), (second, others)):
        fit = who.get(f"{URL}{made['id']}/")["fit"]
        assert not fit["fits"]
        assert (fit["start"], fit["to"]) == (START.isoformat(), None)
        assert fit["links"] == [], "the link that is full is a core link: its numbers are the NOC's"
        who.get(f"{URL}{(others if made is ones else ones)['id']}/", status=404)
    staff = people.put_person(actor=SYSTEM, username="reads", roles=[Role.NOC])
    reader = Speaker(tokens.issue(actor=SYSTEM, user=staff, nren=None, name="t")[1])
    (full,) = reader.get(f"{URL}{ones['id']}/")["fit"]["links"]
    assert (full["link"], full["granted_bps"], full["shortfall_bps"]) == (CD, 5 * MBIT, MBIT)


def test_the_way_back_is_read_too(file: Path) -> None:
    """The network goes back to what it was and the move is said to be over: nobody reads of a move any more."""
    first = speaker("a")
    granted = first.post(URL, wish("a", 1, 4 * MBIT))
    admit(granted)
    change(file, "down")
    call_command("core_link", AB, "--up", reason="work is done")
    call_command("path_moved", all=True, reason="seen")
    fit = first.get(f"{URL}{granted['id']}/")["fit"]
    assert (fit["fits"], fit["moving_since"]) == (True, None)
