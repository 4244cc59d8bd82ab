"""How a router fares before the first line of a push and after the last, over SSH: what it loses is given back."""

from __future__ import annotations

from typing import Any

import pytest

from provisioning.models import RouterPush
from tests.services.backbone import Backbone
from tests.services.test_bare_swaps import edges_of, policies, swap

pytestmark = pytest.mark.once

PEER = "10.0.0.2"


@pytest.fixture
def peering(live: Backbone) -> Backbone:
    """nl6 with a BGP neighbour and an IS-IS adjacency towards uk6, all of it saved."""
    live.console("nl6", "router bgp 65000", f"neighbor {PEER} remote-as 65001")
    live.console("nl6", "interface POS2/0", "ipv6 router isis BACKBONE")
    live.call("save", "nl6")
    return live


def pushed(live: Backbone) -> RouterPush:
    _request, change = swap(live)
    live.work(change)
    return edges_of(change)


def unseen(push: RouterPush) -> list[str]:
    verification: dict[str, Any] = push.verification or {}
    return list(verification.get("unseen", ()))


def test_a_neighbour_that_is_lost_with_the_new_policy_undoes_the_router(peering: Backbone) -> None:
    peering.fault("nl6", "neighbour-lost", neighbour=PEER, match="FILTERED-IN")
    startup = peering.call("state", "nl6")["startup"]
    push = pushed(peering)
    assert (push.state, push.error_code) == ("ROLLED_BACK", "unhealthy"), push.error
    assert f"BGP neighbour {PEER} was Established and is Active" in push.error
    assert policies(peering) == [None, "FILTERED-IN", None, "NON-PARTICIPANT"]
    assert "FILTERED-IN" not in peering.running("nl6")
    assert peering.call("state", "nl6")["startup"] == startup
    health = push.health
    assert health["worse"] == [[f"BGP neighbour {PEER}", "Established", "Active"]]
    assert ["BGP", PEER, "Established", True, False] in health["before"]["neighbours"]
    assert health["after"]["looked"] == ["BGP", "IS-IS"]


def test_a_processor_past_the_limit_undoes_the_router_also_after_a_session_broke(peering: Backbone) -> None:
    """The second session compares with what was kept before the first line."""
    peering.fault("nl6", "busy", percent=97, match="FILTERED-IN")
    peering.fault("nl6", "drop", match="show policy-map interface", where="exec", times=2)
    push = pushed(peering)
    assert (push.state, push.error_code) == ("ROLLED_BACK", "unhealthy"), push.error
    assert "was 3 % over five seconds" in push.error and "past 90 %" in push.error
    assert push.transcripts.count() == 2
    assert policies(peering)[-1] == "NON-PARTICIPANT"


def test_what_was_lost_before_is_no_loss_and_what_is_unknown_keeps_nothing_from_being_done(
    peering: Backbone,
) -> None:
    peering.fault("nl6", "neighbour-lost", neighbour=PEER)
    peering.fault("nl6", "busy", percent=97)
    peering.fault(
        "nl6", "refuse", match="show clns", where="exec", message="% Invalid input detected at '^' marker."
    )
    push = pushed(peering)
    assert push.state == "VERIFIED", push.error
    assert push.saved
    assert unseen(push) == [
        "not looked at: IS-IS: `show clns neighbors`: % Invalid input detected at '^' marker."
    ]
    assert push.health["worse"] == []


def test_a_session_that_is_lost_over_a_look_keeps_nothing_from_being_done(peering: Backbone) -> None:
    peering.fault("nl6", "drop", match="show processes", where="exec")
    push = pushed(peering)
    assert push.state == "VERIFIED", push.error
    assert unseen(push) == ["not looked at: the session was lost over it before the first line"]


def test_a_router_that_is_left_out_is_asked_nothing(peering: Backbone, settings: Any) -> None:
    settings.HEALTH_NOT_ON = ["nl6"]
    peering.fault("nl6", "neighbour-lost", neighbour=PEER, match="FILTERED-IN")
    push = pushed(peering)
    assert push.state == "VERIFIED", push.error
    assert push.health is None
    assert push.verification["health"] == "not looked at"
    sent = [text for session in push.transcripts.all() for _at, way, text in session.lines if way == ">"]
    assert not any(line.startswith(("show processes", "show clns", "show bgp")) for line in sent)
