"""Every document's system from the request to routers that hold nothing any more, over SSH, on its own network."""

from __future__ import annotations

import re
import tempfile
from collections.abc import Callable, Iterator
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
from django.utils import timezone

import inventory
from inventory.models import Domain, Router
from provisioning.management import routers_as_text
from provisioning.models import Change, PremiumRequest, SyncState
from provisioning.pipeline.admission import Admitted
from provisioning.selectors.packs import pack_for
from provisioning.selectors.plans import plan_of
from provisioning.services import decisions, verifying
from provisioning.services import requests as asking
from provisioning.services.changes import approve
from provisioning.web.reading.alarms import alarms
from tests.services.backbone import Backbone, build

pytestmark = pytest.mark.once

NETWORKS = Path(inventory.__file__).parent / "networks"
NTUA, UPATRAS = "NTUA@ilissos:GigabitEthernet1/0", "UPATRAS@patra:GigabitEthernet1/0.6"

# What is asked under each scheme, who receives it, and what the sending router then holds.
ASKED: dict[str, tuple[dict[str, Any], str | None, str, tuple[str, ...]]] = {
    "grnet": (
        {
            "source_link": NTUA,
            "destination_link": UPATRAS,
            "service_class": "virtual-wire",
            "rate": "100M",
            "source_prefixes": ("2001:648:2000:1::/64", "192.0.2.0/26"),
            "destination_prefixes": ("2001:648:2800:1::/64", "192.0.2.128/26"),
        },
        "UPATRAS",
        "ilissos",
        ("class-map match-any PIP-VW-FILTERED", "police cir 100933334", "set dscp"),
    ),
    "cti": (
        {
            "source_link": "CAMERAS@cti7206:FastEthernet2/0",
            "destination_link": "VIEWERS@cti3600:FastEthernet2/0",
            "service_class": "foreground",
            "rate": "800k",
            "source_prefixes": ("2001:db8:c101:1::/64",),
            "destination_prefixes": ("2001:db8:c102:1::/64",),
        },
        "VIEWERS",
        "cti7206",
        ("permit ipv6 2001:DB8:C101:1::/64 2001:DB8:C102:1::/64",),
    ),
    "irs": (
        {
            "source_link": "LAAS@toulouse:FastEthernet2/0",
            "destination_link": "LIP6@paris:FastEthernet2/0",
            "service_class": "guaranteed",
            "rate": "100k",
            "source_prefixes": ("2001:db8:d010:1::/64",),
            "destination_prefixes": ("2001:db8:d030:1::/64",),
            "flow_label": 74565,
        },
        "LIP6",
        "toulouse",
        ("flow-label 74565", "police cir 100934 bc 15140"),  # 14 bytes of Ethernet on each 1500,
    ),
    "enst": (
        {
            "source_link": "FRIC@monnaie:FastEthernet2/0",
            "destination_link": "FLOUZE@franc:FastEthernet2/0",
            "service_class": "video",
            "rate": "650k",
            "source_prefixes": ("2001:db8:e010:1::/64",),
            "destination_prefixes": ("2001:db8:e020:1::/64",),
        },
        "FLOUZE",
        "monnaie",
        ("permit ipv6 2001:DB8:E010:1::/64 2001:DB8:E020:1::/64",),
    ),
}


@pytest.fixture
def domain(transactional_db: None, settings: Any) -> Iterator[Callable[[str], Backbone]]:
    """A scheme's bundled network on practice routers."""
    settings.PUSH_ENABLED = True
    made: list[Backbone] = []
    with tempfile.TemporaryDirectory(prefix="xp-") as directory:

        def start(scheme: str) -> Backbone:
            own = Path(__file__).with_name(f"{scheme}.yaml")
            made.append(build(Path(directory), own if own.exists() else NETWORKS / f"{scheme}.yaml"))
            return made[-1]

        yield start
        for each in made:
            each.stop()


def _ask(domain: Backbone, scheme: str) -> PremiumRequest:
    fields, receiver, _, _ = ASKED[scheme]
    request = asking.submit(
        actor=domain.nren[fields["source_link"].split("@")[0]],
        data=asking.SubmitRequest(
            bucket_bytes=15000,
            max_packet_bytes=1500,
            contact="noc@example.org",
            start=timezone.now() - timedelta(seconds=1),
            **fields,
        ),
    )[0]
    if receiver is not None:
        asking.consent(actor=domain.nren[receiver], request=request, agree=True, reason="agreed")
    return request


def _carry_out(domain: Backbone, change: Change) -> None:
    approve(actor=domain.approver, change=change, reason="read it", confirm_gaps=True)
    domain.push(change)
    assert set(domain.states(change).values()) == {"VERIFIED"}


@pytest.mark.parametrize("scheme", sorted(ASKED))
def test_a_request_is_carried_out_and_taken_back(scheme: str, domain: Callable[[str], Backbone]) -> None:
    there = domain(scheme)
    _fields, _receiver, router, expected = ASKED[scheme]
    baseline = there.plan()
    _carry_out(there, baseline)
    bare = there.running(router)

    request = _ask(there, scheme)
    verdict = decisions.admit(actor=there.approver, request=request, reason="fits")
    assert isinstance(verdict, Admitted)
    change = there.plan_for(request)
    said = [text for push in change.pushes.all() for text in plan_of(push).warnings]
    assert (scheme in ("cti", "enst")) == any(text.startswith("premium-unpoliced") for text in said)
    assert (scheme == "irs") == any("needs a static route" in text and "at risk" in text for text in said)
    if scheme == "irs":
        # The plan says who shapes; the pack then does, at the rate the edge polices to and within its bucket.
        assert any("the shaper is in the user's own configuration pack" in text for text in said)
        assert any(
            text.startswith("FastEthernet2/0: Guaranteed Service is not shaped on input by cisco-7200 with")
            for text in said
        )
        pack = pack_for(request, "ios").text
        (shaped,) = re.findall(r"shape average (\d+)", pack)
        assert int(shaped) == 100_934  # 100 kbit/s of layer 3 in frames of 1514 bytes
    _carry_out(there, change)
    request.refresh_from_db()
    assert request.state == "ACTIVE"
    held = there.running(router)
    for text in expected:
        assert text in held, text
    # The service's own lines are in sync; the static route GS rests on is the network's, and every verification says so.
    row = verifying.verify_router(router=Router.objects.get(name=router))
    assert row.state == SyncState.IN_SYNC
    assert (scheme == "irs") == any("and there is none: at risk" in text for text in row.detail["at_risk"])
    assert (scheme == "irs") == ("AT RISK" in routers_as_text.sync(row))
    assert (scheme == "irs") == any("at risk when routing changes" in alarm.title for alarm in alarms())

    asking.withdraw(actor=there.nren[request.nren.name], request=request, reason="over")
    request.refresh_from_db()
    _carry_out(there, there.plan_for(request))
    request.refresh_from_db()
    assert request.state == "COMPLETED"
    assert verifying.verify_router(router=Router.objects.get(name=router)).detail["at_risk"] == []
    assert _lines(there.running(router)) == _lines(bare)


def test_a_live_domain_is_switched_to_policing_by_grants_and_back(backbone: Backbone) -> None:
    """D4.4.2v2 section 2.5 a: "according to already granted partners requests"; Appendix A: the cap."""
    _carry_out(backbone, backbone.plan())
    request = backbone.admit(backbone.ask("JANET", "GRNET", "2M"))
    backbone.work()
    cap = _lines(backbone.running("uk6"))
    for policer, expected in (
        ("grants", ("police cir 2005334 bc 15040", "service-policy input TRUSTED-IN")),
        ("cap", ("police cir percent 5",)),
    ):
        Domain.objects.update(policer=policer)
        _carry_out(backbone, backbone.plan())
        held = backbone.running("uk6")
        for text in expected:
            assert text in held, text
    assert _lines(held) == cap
    request.refresh_from_db()
    assert request.state == "ACTIVE"


def test_a_neighbour_with_an_agreement_is_policed_to_its_grants_and_remarked_both_ways(
    domain: Callable[[str], Backbone],
) -> None:
    """D4.4.2v2 section 2.2, over SSH: granted, seen, granted more, withdrawn, and the router as it was before."""
    there = domain("neighbour")
    _carry_out(there, there.plan())
    bare = there.running("nl6")
    bound = there.bound("nl6")
    assert ("POS3/0", "input", "NON-PARTICIPANT") in bound
    assert ("POS3/0", "output", "NEIGHBOUR-OUT") in bound
    assert {each for each in bound if each[0] == "POS1/0"} == {("POS1/0", "input", "NON-PARTICIPANT")}
    (ours_to_theirs,) = re.findall(r"policy-map NEIGHBOUR-OUT\n(?: .*\n)+", bare)
    assert re.search(r"class EF\s+set dscp 47\b", ours_to_theirs)

    granted = []
    for rate, together in (("2M", 2_005_334), ("1500k", 3_509_334)):
        request = there.admit(
            there.ask(
                "GEANT",
                "GRNET",
                rate,
                source_prefixes=(f"2001:db8:20:{len(granted)}::/64",),
            )
        )
        granted.append(request)
        _carry_out(there, there.plan_for(request))
        request.refresh_from_db()
        assert request.state == "ACTIVE"
        held = there.running("nl6")
        (policy,) = re.findall(r"policy-map NEIGHBOUR-IN\S*\n(?: .*\n)+", held)
        assert re.search(rf"class EF-D47\s+set dscp (46|ef)\s+police cir {together} bc \d+", policy)
        assert re.search(r"class-map match-all EF-D47\s+match\s+dscp 47\b", held)
    for request in granted:
        asking.withdraw(actor=there.nren["GEANT"], request=request, reason="over")
    _carry_out(there, there.plan_for(granted[0]))
    for request in granted:
        request.refresh_from_db()
    assert {request.state for request in granted} == {"COMPLETED"}
    assert _lines(there.running("nl6")) == _lines(bare)


def _lines(text: str) -> list[str]:
    """Its lines without what changes by itself, in no order: a router lists objects as they came."""
    volatile = ("!", "ntp clock-period")
    return sorted(line for line in text.splitlines() if not line.strip().startswith(volatile))
