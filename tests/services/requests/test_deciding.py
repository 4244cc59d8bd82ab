"""Admit and refuse: by a named other person of the NOC, after consent, never past the share, both ways together."""

from __future__ import annotations

from dataclasses import replace
from datetime import timedelta
from typing import Any

import pytest
from django.utils import timezone

from inventory.models import LineCard, Router
from provisioning.errors import Conflict, InvalidInput, NotPermitted, NotVisible, StaleState
from provisioning.models import (
    SYSTEM,
    Actor,
    AuditEvent,
    ConfigSnapshot,
    LedgerEntry,
    PremiumRequest,
    Reservation,
    Role,
    TopologyVersion,
)
from provisioning.pipeline.admission import Admitted, Refused, from_json
from provisioning.pipeline.authority import STAFF_OF_THE_NOC
from provisioning.selectors import topology as topology_rows
from provisioning.services import decisions, requests, topology
from provisioning.services.decisions import links
from tests.services.requests.sixnet import (
    ASKED,
    GRNET,
    JANET,
    admitted,
    agreed,
    change_link,
    charged_bps,
    grnet,
    hours,
    janet,
    noc,
    person,
    submitted,
)

pytestmark = pytest.mark.usefixtures("six")


def test_admission_writes_the_reservation_the_charges_and_the_evidence() -> None:
    request = agreed(end=hours(3))
    verdict = decisions.admit(actor=noc(), request=request, reason="it fits")
    assert isinstance(verdict, Admitted)
    assert (request.state, request.decision_reason, request.decided_by.get_username() if request.decided_by else "") == (
        "ADMITTED", "it fits", "nora",
    )  # fmt: skip
    assert request.evidence is not None
    assert from_json(request.evidence) == verdict
    reservation = Reservation.objects.get(request=request)
    assert reservation.granted_bps == 2_000_000
    assert reservation.path[0] == {"link": JANET, "direction": "in"}
    rows = list(LedgerEntry.objects.values_list("link", "direction", "rate_bps", "pool", "start", "end"))
    assert [row[:2] for row in rows] == [
        (JANET, "in"),
        ("uk6:POS2/0--nl6:POS2/0", "a-z"),
        ("nl6:POS2/1--de6:POS2/0", "a-z"),
        ("de6:POS2/1--gr6:POS1/0", "a-z"),
        (GRNET, "out"),
    ]
    assert {row[2:] for row in rows} == {(2_000_000, "ip-premium", request.start, request.end)}
    event = AuditEvent.objects.get(action="request.admitted")
    assert (event.before or {})["state"] == "SUBMITTED"
    assert (event.after or {})["evidence"] == request.evidence


def test_the_last_bit_is_granted_and_the_next_is_not() -> None:
    """7,729,300 bit/s are 7,749,912 on POS: of the policer 88 are left, and 100 more of the share are 101."""
    admitted(rate=7_729_300)
    request = agreed(rate=100)
    verdict = decisions.admit(actor=noc(), request=request, reason="squeeze it in")
    assert isinstance(verdict, Refused)
    assert [(r.code, r.link, r.shortfall_bps) for r in verdict.reasons] == [("policer", JANET, 13)]
    assert request.state == "SUBMITTED"
    assert charged_bps(JANET, "in") == 7_729_300
    event = AuditEvent.objects.get(action="request.does-not-fit")
    assert (event.after or {})["verdict"] == "refused"


def test_both_ways_are_admitted_together_and_do_not_compete() -> None:
    out, back = requests.submit(actor=janet(), data=replace(ASKED, direction="both", rate=5_000_000))
    requests.consent(actor=grnet(), request=out, agree=True)
    verdict = decisions.admit(actor=noc(), request=back, reason="both fit")
    assert isinstance(verdict, Admitted)
    assert verdict.path.hops[0].link == GRNET
    assert set(PremiumRequest.objects.values_list("state", flat=True)) == {"ADMITTED"}
    assert (charged_bps(JANET, "in"), charged_bps(JANET, "out")) == (5_000_000, 5_000_000)
    assert charged_bps("uk6:POS2/0--nl6:POS2/0", "z-a") == 5_000_000
    out.refresh_from_db()
    back.refresh_from_db()
    assert isinstance(from_json(out.evidence or {}), Admitted)
    assert (out.evidence or {})["path"]["routers"] == list(reversed((back.evidence or {})["path"]["routers"]))


def test_when_one_way_does_not_fit_neither_is_admitted() -> None:
    admitted(rate=7_000_000)
    out, back = requests.submit(actor=janet(), data=replace(ASKED, direction="both"))
    requests.consent(actor=grnet(), request=out, agree=True)
    verdict = decisions.admit(actor=noc(), request=back, reason="try")
    assert isinstance(verdict, Refused)
    assert {r.link for r in verdict.reasons} == {JANET, GRNET}
    assert {row.state for row in PremiumRequest.objects.filter(pk__in=[out.pk, back.pk])} == {"SUBMITTED"}
    assert Reservation.objects.count() == 1


def test_consent_comes_first() -> None:
    request = submitted()
    with pytest.raises(Conflict, match="GRNET has not agreed yet"):
        decisions.admit(actor=noc(), request=request, reason="now")
    requests.consent(actor=grnet(), request=request, agree=False, reason="no")
    with pytest.raises(Conflict, match="GRNET has declined"):
        decisions.admit(actor=noc(), request=request, reason="now")
    assert not LedgerEntry.objects.exists()
    change_link(GRNET, standing_consent=True)
    assert isinstance(decisions.admit(actor=noc(), request=submitted(), reason="standing"), Admitted)


def test_who_submitted_never_decides_whatever_roles_they_have() -> None:
    double = person("nils", Role.NOC, nrens=("JANET",))
    (request,) = requests.submit(actor=double, data=ASKED)
    requests.consent(actor=grnet(), request=request, agree=True)
    for act in (decisions.admit, decisions.refuse):
        with pytest.raises(NotPermitted, match="submitted by you"):
            act(actor=double, request=request, reason="me too")
    with pytest.raises(NotPermitted, match="submitted by you"):
        decisions.hold(actor=double, request=request, until=hours(1), reason="me too")
    assert isinstance(decisions.admit(actor=noc(), request=request, reason="checked"), Admitted)


def test_only_a_named_person_of_the_noc_decides() -> None:
    request = agreed()
    nameless = Actor(label="cron", user_id=None, roles=STAFF_OF_THE_NOC)
    for actor in (janet(), grnet(), person("audrey", Role.AUDITOR), nameless):
        for act in (decisions.admit, decisions.refuse):
            with pytest.raises(NotPermitted):
                act(actor=actor, request=request, reason="please")
    for actor in (SYSTEM, person("dirk", nrens=("DFN",))):
        with pytest.raises(NotVisible):
            decisions.admit(actor=actor, request=request, reason="please")
    assert not Reservation.objects.exists()


@pytest.mark.parametrize("reason", ["", "   ", "x" * 2001, "a\x00b"])
def test_a_decision_needs_a_reason_that_can_be_read(reason: str) -> None:
    request = agreed()
    for act in (decisions.admit, decisions.refuse):
        with pytest.raises(InvalidInput) as refused:
            act(actor=noc(), request=request, reason=reason)
        assert refused.value.field == "reason"


def test_what_is_decided_is_decided() -> None:
    request = admitted()
    for act in (decisions.admit, decisions.refuse):
        with pytest.raises(StaleState, match="ADMITTED"):
            act(actor=noc(), request=request, reason="again")
    assert Reservation.objects.count() == 1


def test_refusing_keeps_the_evidence_and_frees_nothing_because_nothing_was_charged() -> None:
    request = agreed(rate=8_000_000)
    decisions.refuse(actor=noc(), request=request, reason="too much")
    assert (request.state, request.decision_reason) == ("REFUSED", "too much")
    stored = from_json(request.evidence or {})
    assert isinstance(stored, Refused)
    assert stored.reasons[0].shortfall_bps == 250_000
    assert not LedgerEntry.objects.exists()


def test_both_ways_are_refused_together() -> None:
    out, back = requests.submit(actor=janet(), data=replace(ASKED, direction="both"))
    decisions.refuse(actor=noc(), request=back, reason="no")
    out.refresh_from_db()
    assert (out.state, back.state) == ("REFUSED", "REFUSED")


def test_evidence_leaves_out_its_own_charges() -> None:
    request = admitted(rate=7_729_000)
    verdict = decisions.evidence(request=request)
    assert isinstance(verdict, Admitted)
    assert verdict.evidence[0].committed_peak_bps == 0


def test_a_window_that_is_over_is_not_admitted() -> None:
    request = agreed(end=hours(1))
    past = timezone.now() - timedelta(minutes=1)
    PremiumRequest.objects.filter(pk=request.pk).update(start=past - timedelta(hours=1), end=past)
    request.refresh_from_db()
    with pytest.raises(StaleState, match="is over"):
        decisions.admit(actor=noc(), request=request, reason="late")


def test_a_link_that_was_closed_meanwhile_refuses_with_a_reason() -> None:
    request = agreed()
    change_link(JANET, case="non-participant")
    verdict = decisions.admit(actor=noc(), request=request, reason="try")
    assert isinstance(verdict, Refused)
    assert [reason.code for reason in verdict.reasons] == ["non-participant"]


def test_a_counter_offer_is_what_another_request_gets() -> None:
    admitted(rate=6_000_000, end=hours(2))
    verdict = decisions.admit(actor=noc(), request=agreed(end=hours(4)), reason="try")
    assert isinstance(verdict, Refused)
    rate, later = verdict.counter_offers
    assert rate.rate_bps == 1_729_000
    assert isinstance(
        decisions.admit(actor=noc(), request=agreed(rate=rate.rate_bps, end=hours(4)), reason="a"), Admitted
    )
    other = agreed(start=later.start, end=later.end, rate=later.rate_bps)
    assert isinstance(decisions.admit(actor=noc(), request=other, reason="b"), Admitted)


@pytest.mark.parametrize(
    ("engine", "fits"), [("4+", False), ("4", False), ("0", False), ("3", True), ("5", True)]
)
def test_a_card_that_ignores_the_ipv6_class_is_refused_naming_router_and_slot(
    engine: str, fits: bool
) -> None:
    LineCard.objects.filter(router__name="de6", slot=2).update(engine=engine)
    verdict = decisions.admit(actor=noc(), request=agreed(), reason="try")
    assert isinstance(verdict, Admitted) == fits
    if isinstance(verdict, Refused):
        assert [reason.code for reason in verdict.reasons] == ["line-card"]
        assert "de6 slot 2 (POS2/0): Engine" in verdict.reasons[0].text


def test_what_the_router_shows_as_bw_is_the_base() -> None:
    router = Router.objects.get(name="uk6")
    ConfigSnapshot.objects.create(router=router, text="", digest="", bandwidths={"POS1/0": 100_000_000})
    verdict = decisions.evidence(request=submitted(rate=5_001_000))
    assert isinstance(verdict, Refused)
    # 5,001,000 bit/s in packets of 1500 bytes are 5,014,336 with those of POS.
    assert [(r.code, r.link, r.shortfall_bps) for r in verdict.reasons] == [
        ("share-exceeded", JANET, 1_000),
        ("policer", JANET, 14_336),
    ]


def test_links_that_changed_while_waiting_for_the_locks_are_noticed(monkeypatch: pytest.MonkeyPatch) -> None:
    request = agreed()
    find, changed = links.loaded_links, []

    def found_early(*asked: Any) -> frozenset[str]:
        names = find(*asked)
        if not changed:
            changed.append(names)
            topology.declare(actor=SYSTEM, name=direct, deed="down", reason="meanwhile")
        return names

    direct = "uk6:POS2/0--nl6:POS2/0"
    monkeypatch.setattr(links, "loaded_links", found_early)
    verdict = decisions.admit(actor=noc(), request=request, reason="try")
    assert isinstance(verdict, Admitted)
    assert direct in changed[0]
    assert direct not in {hop.link for hop in verdict.path.hops}
    newest = TopologyVersion.objects.latest("number")
    assert newest.cause == f"{direct} is declared down"
    request.refresh_from_db()
    assert request.evidence["topology"] == newest.number == request.reservation.topology
    charged = set(LedgerEntry.objects.values_list("link", flat=True))
    assert charged == {load.link for load in verdict.path.loads}


def test_a_network_that_never_stands_still_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    request = agreed()
    monkeypatch.setattr(topology_rows, "number_of", lambda _domain: -1)
    with pytest.raises(StaleState, match="changes again and again"):
        decisions.admit(actor=noc(), request=request, reason="try")
    assert not Reservation.objects.exists()
