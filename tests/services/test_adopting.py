"""A router somebody configured by hand, over real SSH: looked at, adopted, changed under its own names, put back."""

from __future__ import annotations

import json
import re
import tempfile
from collections.abc import Iterator
from io import StringIO
from pathlib import Path

import pytest
from django.core.management import call_command

from inventory.models import AccessLink, Nren
from inventory.readers.network_yaml import read_network
from provisioning.models import SYSTEM, AdoptedName, AuditEvent, Change, Ownership, Role, RouterSync, Via
from provisioning.selectors.plans import content_of
from provisioning.services import people, practice, verifying
from provisioning.services import requests as asking
from provisioning.services.inventory import import_network
from tests.services.backbone import Backbone

pytestmark = pytest.mark.once

BY_HAND = """\
ipv6 access-list AUTH-SURF
permit ipv6 2001:610:1::/48 2001:6A8:2::/48
class-map match-any CM-AUTH
match access-group name AUTH-SURF
class-map match-all GOLD-V6
description premium, ticket 4711
match dscp ef
class-map match-all SCAVENGER
match dscp cs1
policy-map EDGE-SURF
class CM-AUTH
police cir percent 5 conform-action transmit exceed-action drop
set dscp ef
class SCAVENGER
police cir percent 1 conform-action transmit exceed-action transmit
class class-default
set dscp 0
policy-map EDGE-TRUST-V6
class GOLD-V6
police cir 7750000 conform-action transmit exceed-action drop
class SCAVENGER
police cir percent 1 conform-action transmit exceed-action transmit
class class-default
set dscp 0
policy-map CLOSED
class class-default
set dscp 0
policy-map CUSTOMER-OUT
class GOLD-V6
bandwidth percent 10
interface GigabitEthernet1/0
service-policy input EDGE-SURF
interface POS2/0
service-policy input EDGE-TRUST-V6
interface POS3/0
service-policy input CLOSED
service-policy output CUSTOMER-OUT
"""


@pytest.fixture
def handmade(transactional_db: None, settings: object) -> Iterator[Backbone]:
    """nl6 alone, with policies of its own; the inventory believes that nobody participates."""
    settings.PUSH_ENABLED = True
    settings.ROUTER_TIMEOUT_SECONDS = 60
    settings.TICK_SECONDS = 0.2
    import_network(
        actor=SYSTEM, network=read_network(Path(__file__).with_name("handmade.yaml")), dry_run=False
    )
    for name in ("planner", "approver"):
        people.put_person(actor=SYSTEM, username=name, roles=[Role.NOC])
    for nren in Nren.objects.all():
        people.put_person(actor=SYSTEM, username=nren.name.lower(), nrens=[nren])
    with tempfile.TemporaryDirectory(prefix="xp-") as directory:
        made = Backbone(
            network=practice.start(actor=SYSTEM, state_dir=Path(directory) / "lab"),
            planner=people.actor_named("planner", via=Via.WEB),
            approver=people.actor_named("approver", via=Via.WEB),
            nren={
                nren.name: people.actor_named(nren.name.lower(), via=Via.API) for nren in Nren.objects.all()
            },
        )
        try:
            made.console("nl6", *BY_HAND.splitlines())
            yield made
        finally:
            made.stop()


def adopt(*words: str) -> tuple[int, str, str]:
    out, err = StringIO(), StringIO()
    try:
        call_command("adopt", *words, stdout=out, stderr=err)
    except SystemExit as end:
        return int(end.code or 0), out.getvalue(), err.getvalue()
    return 0, out.getvalue(), err.getvalue()


def lines_of(change: Change) -> list[str]:
    return [line["text"] for push in change.pushes.all() for line in content_of(push)["commands"]]


def test_a_handmade_router_is_adopted_changed_and_put_back(handmade: Backbone) -> None:
    before = handmade.running("nl6")
    code, said, _ = adopt("--router", "nl6")
    assert code == 0, said
    assert "GigabitEthernet1/0 input (access SURFnet@nl6:GigabitEthernet1/0): EDGE-SURF = filtered" in said
    assert "POS2/0 input (access BELNET@nl6:POS2/0): EDGE-TRUST-V6 = trusted" in said
    assert "POS3/0 input (peering GEANT@nl6:POS3/0): CLOSED = non-participant" in said
    assert "equal today: class GOLD-V6: has `police cir 7750000" in said
    assert "left untouched: policy-map CUSTOMER-OUT: used by POS3/0 output" in said
    assert "grant in AUTH-SURF: 2001:610:1::/48 to 2001:6a8:2::/48" in said
    assert "proof: re-rendering changes nothing, with 1 reservation yet to be confirmed" in said
    assert not AdoptedName.objects.exists()
    assert set(AccessLink.objects.values_list("case", flat=True)) == {"non-participant"}

    seen = re.search(r"seen ([0-9a-f]{12})", said)[1]

    # Its list authorises somebody nobody has asked for: the names are taken, the list is not, and nothing can be sent.
    code, _, told = adopt(
        "--router", "nl6", "--seen", seen, "--apply", "--as", "planner", "--reason", "take over"
    )
    assert code == 1
    assert "access-list AUTH-SURF is on the router with other content and is not ours" in told
    assert dict(AccessLink.objects.values_list("nren__name", "case")) == {
        "SURFnet": "filtered",
        "BELNET": "trusted",
    }
    event = AuditEvent.objects.get(action="router.adopted")
    assert (event.actor, event.reason) == ("planner", "take over")
    assert not Ownership.objects.exists()

    # The grant is confirmed by an ordinary request; the plan is empty, and what was seen is ours from then on.
    first = handmade.admit(handmade.ask("SURFnet", "BELNET", "1M"))
    change = handmade.plan(routers=["nl6"])
    assert lines_of(change) == []
    assert set(handmade.states(change).values()) == {"VERIFIED"}
    first.refresh_from_db()
    assert first.state == "ACTIVE"
    assert set(Ownership.objects.values_list("kind", "name")) == {
        ("access-list", "AUTH-SURF"),
        ("class-map", "CM-AUTH"),
        ("class-map", "GOLD-V6"),
        ("class-map", "SCAVENGER"),
        ("policy-map", "CLOSED"),
        ("policy-map", "EDGE-SURF"),
        ("policy-map", "EDGE-TRUST-V6"),
    }
    assert handmade.typed("nl6") == []
    assert RouterSync.objects.get().state == "in-sync"

    # A later request is one entry in the list the router had. A refusal is taken back to the hand-made state.
    second = handmade.admit(handmade.ask("SURFnet", "BELNET", "1M", source_prefixes=("2001:610:7::/48",)))
    change = handmade.plan_for(second)
    assert lines_of(change) == [
        "ipv6 access-list AUTH-SURF",
        "sequence 20 permit ipv6 2001:610:7::/48 2001:6a8:2::/48",
    ]
    handmade.fault("nl6", "refuse", match="2001:610:7", message="% Invalid input detected")
    handmade.push(handmade.approve(change))
    assert set(handmade.states(change).values()) == {"ROLLED_BACK"}
    assert _config(handmade.running("nl6")) == _config(before)

    handmade.clear()
    change = handmade.plan_for(second, again=True)
    handmade.push(handmade.approve(change))
    assert set(handmade.states(change).values()) == {"VERIFIED"}
    assert "2001:610:7::/48" in handmade.running("nl6").lower()
    asking.withdraw(actor=handmade.nren["SURFnet"], request=second, reason="the project ended")
    removal = handmade.plan_for(second)
    handmade.push(handmade.approve(removal))
    assert set(handmade.states(removal).values()) == {"VERIFIED"}
    assert _config(handmade.running("nl6")) == _config(before)

    # What somebody edits by hand now is seen as that.
    handmade.console("nl6", "policy-map CLOSED", "class class-default", "set dscp 8")
    (row,) = verifying.verify_routers(names=["nl6"])
    assert row.state == "differs"
    assert "CLOSED" in json.dumps(row.detail)


def _config(text: str) -> list[str]:
    return [line for line in text.splitlines() if not line.startswith(("!", "Current", "ntp"))]
