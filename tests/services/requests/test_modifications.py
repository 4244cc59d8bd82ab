"""Changing what was promised: decided on the difference, agreed to where more is asked, never a moment without a charge."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from datetime import datetime, timedelta
from typing import Any

import pytest

from inventory.models import Router
from provisioning.errors import Conflict, InvalidInput, NotPermitted, NotVisible, StaleState
from provisioning.models import (
    AuditEvent,
    ConfigSnapshot,
    LedgerEntry,
    Modification,
    PremiumRequest,
    Reservation,
    RouterQueue,
)
from provisioning.pipeline.admission import Admitted, Refused
from provisioning.selectors import topology as topology_rows
from provisioning.services import audit, clock, decisions, modifications, requests, topology
from provisioning.services.modifications import Modify
from tests.services.in_threads import at_once
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

SHARE = 7_750_000


def propose(request: PremiumRequest, **wanted: Any) -> Modification:
    made = modifications.modify(
        actor=janet(), request=request, wanted=Modify(**wanted), reason="a longer concert"
    )
    assert made is not None
    return made


def grant(modification: Modification) -> Admitted | Refused:
    return modifications.admit(actor=noc(), modification=modification, reason="the difference fits")


def on_the_router(request: PremiumRequest, state: str = "ACTIVE") -> None:
    """As verification leaves it: seen on its routers."""
    PremiumRequest.objects.filter(pk=request.pk).update(state=state)
    Reservation.objects.filter(request=request).update(put_on_at=clock.now(), seen_on_at=clock.now())
    request.refresh_from_db()


def charges(link: str, direction: str) -> list[tuple[int, datetime, datetime | None]]:
    rows = LedgerEntry.objects.filter(link=link, direction=direction, released_at=None)
    return list(rows.order_by("start", "pk").values_list("rate_bps", "start", "end"))


@pytest.mark.usefixtures("six")
class TestBeforeItBegins:
    def test_an_undecided_request_is_simply_replaced(self) -> None:
        request = agreed(start=hours(1), end=hours(3))
        made = modifications.modify(
            actor=janet(), request=request, wanted=Modify(rate="1 Mbit/s", end=hours(2)), reason="less"
        )
        assert made is None
        assert (request.state, request.rate_bps, request.consent) == ("SUBMITTED", 1_000_000, "given")
        assert AuditEvent.objects.filter(action="request.replaced").count() == 1
        modifications.modify(actor=janet(), request=request, wanted=Modify(rate="3 Mbit/s"), reason="more")
        assert (request.rate_bps, request.consent) == (3_000_000, "pending")

    def test_a_hold_ends_with_what_it_was_for(self) -> None:
        request = submitted(start=hours(1), end=hours(3))
        decisions.hold(actor=noc(), request=request, until=hours(1), reason="they talk")
        modifications.modify(actor=janet(), request=request, wanted=Modify(rate=1_000_000), reason="less")
        assert (request.state, request.held_until) == ("SUBMITTED", None)
        assert charged_bps(JANET, "in") == 0

    def test_what_no_router_holds_is_in_force_when_it_is_granted(self) -> None:
        request = admitted(start=hours(1), end=hours(3))
        made = propose(request, rate=7_000_000, start=hours(2), end=hours(4))
        assert (made.state, made.consent, request.rate_bps) == ("PROPOSED", "pending", 2_000_000)
        with pytest.raises(Conflict, match="has not agreed"):
            grant(made)
        modifications.consent(actor=grnet(), modification=made, agree=True)
        assert isinstance(grant(made), Admitted)
        request.refresh_from_db()
        assert (made.state, request.state, request.rate_bps) == ("IN_FORCE", "ADMITTED", 7_000_000)
        assert (request.start, request.end) == (made.start, made.end)
        assert charges(JANET, "in") == [(7_000_000, made.start, made.end)]
        assert request.reservation.granted_bps == 7_000_000
        assert LedgerEntry.objects.filter(request=request).exclude(released_at=None).count() == 5, (
            "kept, dated"
        )
        assert not audit.verify_chain().faults

    def test_it_is_decided_on_the_difference(self) -> None:
        request = admitted(rate=4_000_000, start=hours(1), end=hours(3))
        admitted(rate=3_000_000, start=hours(1), end=hours(3))
        change_link(GRNET, standing_consent=True)
        made = propose(request, rate=4_729_000)
        modifications.consent(actor=grnet(), modification=made, agree=True)
        assert isinstance(grant(made), Admitted), "its own 4 Mbit/s are not counted against it"
        assert charged_bps(JANET, "in") == 7_729_000
        request.refresh_from_db()
        more = propose(request, rate=4_751_000)
        modifications.consent(actor=grnet(), modification=more, agree=True)
        verdict = grant(more)
        assert isinstance(verdict, Refused)
        # 4,751,000 bit/s are 4,763,670 with headers of POS, beside 3,008,000.
        assert {(reason.code, reason.shortfall_bps) for reason in verdict.reasons} == {
            ("share-exceeded", 1_000),
            ("policer", 21_670),
        }
        assert more.state == "PROPOSED"
        assert AuditEvent.objects.filter(action="request.modification.does-not-fit").count() == 1
        tried = modifications.what_if(actor=janet(), request=request, wanted=Modify(rate=4_751_000))
        assert tried.verdict == verdict
        refused = modifications.refuse(actor=noc(), modification=more, reason="it does not fit")
        assert refused.state == "REFUSED"

    def test_both_ways_change_together(self) -> None:
        out, back = requests.submit(
            actor=janet(), data=replace(ASKED, direction="both", start=hours(1), end=hours(2))
        )
        requests.consent(actor=grnet(), request=out, agree=True)
        decisions.admit(actor=noc(), request=out, reason="fits")
        back.refresh_from_db()
        made = propose(back, rate=1_000_000, source_prefixes=("2001:648:2::/56",))
        assert grant(made)
        out.refresh_from_db()
        back.refresh_from_db()
        assert (out.rate_bps, back.rate_bps) == (1_000_000, 1_000_000)

    def test_the_same_answer_again_is_no_event(self) -> None:
        made = propose(admitted(rate=1_000_000, start=hours(1), end=hours(2)), rate=2_000_000)
        for agree in (True, False, True):
            modifications.consent(actor=grnet(), modification=made, agree=agree, reason="so be it")
            before = AuditEvent.objects.count(), made.consent_at
            again = modifications.consent(actor=grnet(), modification=made, agree=agree, reason="once more")
            assert (AuditEvent.objects.count(), again.consent_at) == before

    def test_a_shrunken_share_takes_nothing_from_who_asks_for_no_more(self) -> None:
        request = admitted(rate=6_000_000, start=hours(1), end=hours(3))
        uk6 = Router.objects.get(name="uk6")
        ConfigSnapshot.objects.create(router=uk6, text="", digest="2" * 64, bandwidths={"POS1/0": 40_000_000})
        topology_rows.forget()
        topology.notice_changed()
        made = propose(request, source_prefixes=("2001:630:9::/48",))
        assert isinstance(grant(made), Admitted)
        longer = propose(request, end=hours(4))
        modifications.consent(actor=grnet(), modification=longer, agree=True)
        verdict = grant(longer)
        assert isinstance(verdict, Refused)
        assert {(reason.interval_start, reason.interval_end) for reason in verdict.reasons} == {
            (request.end, longer.end)
        }


@pytest.mark.usefixtures("six")
class TestWhileItLasts:
    def test_an_extension_is_in_force_at_once(self) -> None:
        request = admitted(end=hours(3))
        on_the_router(request)
        made = propose(request, end=hours(6))
        modifications.consent(actor=grnet(), modification=made, agree=True)
        assert isinstance(grant(made), Admitted)
        request.refresh_from_db()
        assert (made.state, request.state, request.end) == ("IN_FORCE", "ACTIVE", made.end)
        assert charges(JANET, "in") == [(2_000_000, request.start, made.end)]
        assert RouterQueue.objects.get(router__name="uk6").marked_at is not None

    def test_an_extension_over_a_neighbours_start_says_from_when_and_how_much(self) -> None:
        request = admitted(rate=5_000_000, end=hours(3))
        on_the_router(request)
        neighbour = admitted(rate=4_000_000, start=hours(4), end=hours(5))
        change_link(GRNET, standing_consent=True)
        made = propose(request, end=hours(6))
        modifications.consent(actor=grnet(), modification=made, agree=True)
        verdict = grant(made)
        assert isinstance(verdict, Refused)
        assert {(r.code, r.interval_start, r.interval_end, r.shortfall_bps) for r in verdict.reasons} == {
            ("share-exceeded", neighbour.start, neighbour.end, 1_250_000),
            ("policer", neighbour.start, neighbour.end, 1_274_001),  # 9 Mbit/s of packets are 9.024 of frames
        }
        modifications.withdraw(actor=janet(), modification=made, reason="shorter then")
        shorter = propose(request, end=neighbour.start)
        modifications.consent(actor=grnet(), modification=shorter, agree=True)
        assert isinstance(grant(shorter), Admitted), "half-open: up to the very instant"

    def test_a_larger_rate_is_charged_beside_until_it_is_seen(self) -> None:
        request = admitted(end=hours(3))
        on_the_router(request)
        made = propose(request, rate=5_000_000, end=hours(5))
        modifications.consent(actor=grnet(), modification=made, agree=True)
        assert isinstance(grant(made), Admitted)
        request.refresh_from_db()
        assert (made.state, request.rate_bps, request.end) == ("ADMITTED", 2_000_000, made.request.end)
        rows = charges(JANET, "in")
        assert sorted(rate for rate, _start, _end in rows) == [2_000_000, 3_000_000, 5_000_000]
        late = [row for row in rows if row[1] == request.end]
        assert late == [(5_000_000, request.end, made.end)]
        verdict = decisions.admit(actor=noc(), request=agreed(rate=2_751_000, end=hours(2)), reason="beside")
        assert isinstance(verdict, Refused), "the larger of both counts"

    def test_a_smaller_rate_frees_nothing_until_it_is_seen(self) -> None:
        request = admitted(rate=6_000_000, end=hours(3))
        on_the_router(request)
        made = propose(request, rate=1_000_000)
        assert made.consent == "not-needed"
        assert isinstance(grant(made), Admitted)
        assert charged_bps(JANET, "in") == 6_000_000
        modifications.withdraw(actor=janet(), modification=made, reason="no")
        assert (made.state, charged_bps(JANET, "in")) == ("WITHDRAWN", 6_000_000)

    def test_taken_back_it_frees_what_was_beside(self) -> None:
        request = admitted(end=hours(3))
        on_the_router(request)
        made = propose(request, rate=5_000_000)
        modifications.consent(actor=grnet(), modification=made, agree=True)
        grant(made)
        assert charged_bps(JANET, "in") == 5_000_000
        modifications.withdraw(actor=noc(), modification=made, reason="a mistake")
        assert charged_bps(JANET, "in") == 2_000_000
        assert not audit.verify_chain().faults

    def test_ending_early_asks_nobody_and_cuts_what_it_was_to_become(self) -> None:
        request = admitted(end=hours(3))
        on_the_router(request)
        made = propose(request, rate=5_000_000, end=hours(5))
        modifications.consent(actor=grnet(), modification=made, agree=True)
        grant(made)
        modifications.end_early(actor=janet(), request=request, end=hours(2), reason="the concert is short")
        made.refresh_from_db()
        assert {end for _rate, _start, end in charges(JANET, "in")} == {request.end}
        assert (made.end, made.state) == (request.end, "ADMITTED")
        assert sum(rate for rate, _start, _end in charges(JANET, "in")) == 5_000_000
        modifications.end_early(actor=janet(), request=request, reason="now")
        requests.expire_due(now=clock.now() + timedelta(seconds=1))
        request.refresh_from_db()
        made.refresh_from_db()
        assert (request.state, made.state) == ("EXPIRED", "LAPSED")
        assert charged_bps(JANET, "in") == 5_000_000, "it may be on the router still"

    def test_an_earlier_end_by_modify_is_the_same(self) -> None:
        request = admitted(end=hours(3))
        made = propose(request, end=hours(2))
        assert (made.state, request.end) == ("IN_FORCE", made.end)

    def test_withdrawal_ends_what_was_proposed(self) -> None:
        request = admitted(end=hours(3))
        made = propose(request, rate=1_000_000)
        requests.withdraw(actor=janet(), request=request, reason="no concert")
        made.refresh_from_db()
        assert made.state == "LAPSED"


@pytest.mark.usefixtures("six")
class TestWhoAndWhat:
    def test_who_may(self) -> None:
        request = admitted(end=hours(3))
        with pytest.raises(NotVisible):
            modifications.modify(
                actor=person("dieter", nrens=("DFN",)), request=request, wanted=Modify(rate=1), reason="x"
            )
        with pytest.raises(NotPermitted):
            modifications.modify(actor=grnet(), request=request, wanted=Modify(rate=1), reason="x")
        made = modifications.modify(
            actor=noc("niels"), request=request, wanted=Modify(rate=1_000_000), reason="for them"
        )
        assert made is not None
        with pytest.raises(NotPermitted, match="submitted by you"):
            modifications.admit(actor=noc("niels"), modification=made, reason="mine")
        with pytest.raises(NotPermitted):
            modifications.admit(actor=janet(), modification=made, reason="mine")
        with pytest.raises(NotPermitted):
            modifications.consent(actor=janet(), modification=made, agree=True)
        with pytest.raises(StaleState, match="nobody has to agree"):
            modifications.consent(actor=grnet(), modification=made, agree=True)

    @pytest.mark.parametrize(
        ("wanted", "field"),
        [
            (Modify(rate=0), "rate_bps"),
            (Modify(source_prefixes=("2001:db8::/32",)), "source_prefixes"),
            (Modify(destination_prefixes=("2001:630:8::/48",)), "destination_prefixes"),
            (Modify(end=datetime.fromisoformat("2020-01-01T00:00:00+00:00")), "end"),
            (Modify(), None),
        ],
    )
    def test_what_cannot_be_meant(self, wanted: Modify, field: str | None) -> None:
        request = admitted(start=hours(1), end=hours(3))
        with pytest.raises(InvalidInput) as caught:
            modifications.modify(actor=janet(), request=request, wanted=wanted, reason="x")
        assert (caught.value.field or "").replace("rate", "rate").startswith((field or "")[:4])
        assert not Modification.objects.exists()

    def test_what_has_begun_keeps_its_start_and_what_is_over_stays(self) -> None:
        request = admitted(end=hours(3))
        with pytest.raises(InvalidInput, match="has begun"):
            propose(request, start=hours(1))
        requests.withdraw(actor=janet(), request=request, reason="over")
        with pytest.raises(StaleState, match="WITHDRAWN"):
            propose(request, end=hours(4))
        with pytest.raises(StaleState):
            modifications.end_early(actor=janet(), request=request, reason="x")

    def test_one_at_a_time(self) -> None:
        request = admitted(end=hours(3))
        made = propose(request, rate=1_000_000)
        with pytest.raises(Conflict, match=made.reference):
            propose(request, rate=1_500_000)
        modifications.withdraw(actor=janet(), modification=made, reason="another")
        assert propose(request, rate=1_500_000).state == "PROPOSED"
        with pytest.raises(StaleState):
            modifications.withdraw(actor=janet(), modification=made, reason="again")


@pytest.mark.django_db(transaction=True)
@pytest.mark.usefixtures("six_for_all")
class TestAtOnce:
    def test_two_modifications_at_once(self) -> None:
        request = admitted(end=hours(3))
        actor = janet()

        def wanting(rate: int) -> Callable[[], Modification | None]:
            row = PremiumRequest.objects.get(pk=request.pk)
            return lambda: modifications.modify(
                actor=actor, request=row, wanted=Modify(rate=rate), reason="at once"
            )

        said = at_once(wanting(1_000_000), wanting(1_500_000), wanting(1_750_000))
        assert sorted(type(each).__name__ for each in said) == ["Conflict", "Conflict", "Modification"]
        assert Modification.objects.count() == 1

    def test_a_larger_rate_and_a_newcomer_for_the_same_room(self) -> None:
        for _ in range(4):
            request = admitted(rate=4_000_000, end=hours(3))
            on_the_router(request)
            made = propose(request, rate=6_000_000)
            modifications.consent(actor=grnet(), modification=made, agree=True)
            other = agreed(rate=3_000_000, end=hours(3))
            nora, niels = noc("nora"), noc("niels")
            said = at_once(
                lambda: modifications.admit(actor=nora, modification=made, reason="more"),  # noqa: B023
                lambda: decisions.admit(actor=niels, request=other, reason="new"),  # noqa: B023
            )
            assert sorted(type(each).__name__ for each in said) == ["Admitted", "Refused"]
            assert charged_bps(JANET, "in") <= SHARE
            for row in PremiumRequest.objects.filter(state__in=["ADMITTED", "ACTIVE"]):
                LedgerEntry.objects.filter(request=row).update(released_at=clock.now())
                PremiumRequest.objects.filter(pk=row.pk).update(state="COMPLETED")
            Modification.objects.update(state="LAPSED")

    def test_ending_early_and_an_extension_at_once(self) -> None:
        for _ in range(6):
            request = admitted(rate=1_000_000, end=hours(3))
            on_the_router(request)
            made = propose(request, end=hours(5))
            modifications.consent(actor=grnet(), modification=made, agree=True)
            nora, jane, cut = noc("nora"), janet(), hours(1)
            said = at_once(
                lambda: modifications.admit(actor=nora, modification=made, reason="longer"),  # noqa: B023
                lambda: modifications.end_early(actor=jane, request=request, end=cut, reason="shorter"),  # noqa: B023
            )
            assert not [
                each for each in said if isinstance(each, Exception) and not isinstance(each, StaleState)
            ]
            row = PremiumRequest.objects.get(pk=request.pk)
            assert {end for _r, _s, end in charges(JANET, "in") if end and end > clock.now()} >= {row.end}
            assert row.end == cut, "whoever ends early is heard, before or after"
            LedgerEntry.objects.filter(request=row).update(released_at=clock.now())
