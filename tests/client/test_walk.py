"""A stranger's first day: everything by the command line and nothing else, on practice routers over SSH."""

from __future__ import annotations

import json
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.utils import timezone

from inventory.models import Nren
from provisioning.models import SYSTEM
from provisioning.services import tokens
from tests.client.conftest import Terminal
from tests.services.backbone import Backbone

pytestmark = pytest.mark.once  # over SSH, the same on either database


def arrives(url: str, home: Path, name: str, nren: str | None = None) -> Terminal:
    """Somebody with a token, which they keep in a profile."""
    of = Nren.objects.get(name=nren) if nren else None
    text = tokens.issue(actor=SYSTEM, user=User.objects.get(username=name), nren=of, name="t")[1]
    (home / name).mkdir()
    person = Terminal(url, "", home / name, more={"EXPEDITE_URL": ""})
    kept = person.alone("profile", "add", "here", "--url", url, stdin=f"{text}\n")
    assert text not in kept.out + kept.err
    return person


def approved(noc: Terminal, change: int) -> None:
    """The NOC reads a change and approves what it read."""
    read = noc.alone("noc", "approval", change, "--json").json
    assert read["pushes"] and read["may_approve"], read
    gaps = ["--confirm-gaps"] if read["gaps"] else []
    assert "--seen" in noc.alone("noc", "approve", change, code=2).err
    other = noc.alone("noc", "approve", change, "--seen", "0" * 64, *gaps, "--json", code=1)
    assert other.json["code"] == "stale"
    noc.alone("noc", "approve", change, "--seen", read["fingerprint"], *gaps, "--reason", "read line by line")


def change_of(noc: Terminal, request: str) -> int:
    rows: list[dict[str, Any]] = noc.alone("noc", "changes", "--request", request, "--json").json
    return int(rows[0]["id"])


def test_a_strangers_walk(live: Backbone, live_server: Any, tmp_path: Path) -> None:
    surfnet = arrives(live_server.url, tmp_path, "surfnet", "SURFnet")
    grnet = arrives(live_server.url, tmp_path, "grnet", "GRNET")
    noc = arrives(live_server.url, tmp_path, "approver")
    end = (timezone.now() + timedelta(hours=3)).replace(microsecond=0)
    wish = (
        "--from", "SURFnet@nl6:GigabitEthernet1/0", "--to", "GRNET@gr6:POS2/0", "--rate", "1M", "--bucket", "15000",
        "--source", "2001:610:1::/48", "--destination", "2001:648:2::/48", "--end", end.isoformat(),
    )  # fmt: skip

    # It fits: nothing is asked for by asking whether.
    assert "It fits" in surfnet.alone("what-if", *wish).out
    assert (
        surfnet.alone("what-if", *wish[:5], "900M", *wish[6:], "--json", code=1).json["verdict"] == "refused"
    )
    assert surfnet.alone("list", "--json").json == []

    # Asked, agreed, admitted.
    asked = surfnet.alone("submit", *wish, "--contact", "noc@example.org", "--json").json
    number, name = str(asked["id"]), asked["reference"]
    assert asked["state"] == "SUBMITTED"
    assert name in grnet.alone("list", "--state", "SUBMITTED").out
    grnet.alone("consent", name)
    watching = surfnet.start("watch", name, "--json", "--look", "1")
    assert noc.alone("noc", "admit", name, "--reason", "it fits", "--json").json["state"] == "ADMITTED"

    # Planned by itself, approved by what was read, on the routers.
    live.work()
    approved(noc, change_of(noc, number))
    live.work()
    out, err = watching.communicate(timeout=120)
    assert (watching.returncode, err) == (0, "")
    states = [line["state"] for line in map(json.loads, out.splitlines())]
    assert states[-1] == "ACTIVE" and set(states) <= {"SUBMITTED", "ADMITTED", "ACTIVE"}
    assert "ACTIVE" in surfnet.alone("show", number).out
    assert noc.alone("noc", "verify", "nl6", "--json").json["state"] == "in-sync"

    # One's own side.
    pack = surfnet.alone("pack", name, "--for", "linux")
    assert "2001:610:1::/48" in pack.out and "note:" not in pack.out

    # More of it: proposed, agreed, admitted, and in force when the routers were seen with it.
    other = ("--rate", "1.5M", "--source", "2001:610:9::/48", "--reason", "a larger hall")
    more = surfnet.alone("modify", number, *other, "--json").json
    assert more["modifications"][0]["state"] == "PROPOSED"
    grnet.alone("modification-consent", number)
    noc.alone("noc", "modification-admit", more["modifications"][0]["reference"], "--reason", "it fits")
    live.work()
    approved(noc, change_of(noc, number))
    live.work()
    assert surfnet.alone("show", number, "--json").json["rate_bps"] == 1_500_000

    # Given back: seen gone.
    surfnet.alone("withdraw", number, "--reason", "the hall is empty")
    live.work()
    approved(noc, change_of(noc, number))
    live.work()
    over = surfnet.alone("watch", number, "--until", "completed", "--look", "1")
    assert "COMPLETED" in over.out
