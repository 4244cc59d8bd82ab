"""The receiving NREN sees and answers; everybody else sees nothing at all."""

from __future__ import annotations

from dataclasses import replace

import pytest

from provisioning.errors import InvalidInput, NotPermitted, NotVisible, StaleState
from provisioning.models import AuditEvent, Consent, PremiumRequest, Role
from provisioning.selectors.requests import for_actor, visible
from provisioning.services import decisions, requests
from tests.services.requests.sixnet import (
    ASKED,
    GRNET,
    admitted,
    change_link,
    grnet,
    janet,
    noc,
    person,
    submitted,
)

pytestmark = pytest.mark.usefixtures("six")


@pytest.mark.parametrize(
    ("roles", "nrens", "sees"),
    [
        ((), ("JANET",), True),
        ((), ("GRNET",), True),
        ((Role.NOC,), (), True),
        ((Role.AUDITOR,), (), True),
        ((), ("DFN",), False),
        ((Role.NREN,), (), False),
        ((), (), False),
        ((), ("DFN", "GRNET"), True),
    ],
)
def test_who_sees_a_request(roles: tuple[Role, ...], nrens: tuple[str, ...], sees: bool) -> None:
    request = submitted()
    actor = person("somebody", *roles, nrens=nrens)
    assert for_actor(actor).filter(pk=request.pk).exists() == sees
    if sees:
        assert visible(actor, request.pk) == request
    else:
        with pytest.raises(NotVisible) as hidden:
            visible(actor, request.pk)
        with pytest.raises(NotVisible) as absent:
            visible(actor, 10**9)
        assert str(hidden.value) == str(absent.value)


def test_the_same_answer_again_is_no_event() -> None:
    """Each event is kept for ever, and whoever answers can do so again and again."""
    out, back = requests.submit(actor=janet(), data=replace(ASKED, direction="both"))

    def kept() -> tuple[int, list[object]]:
        rows = PremiumRequest.objects.filter(pk__in=[out.pk, back.pk]).order_by("pk")
        return AuditEvent.objects.count(), list(rows.values_list("consent", "consent_by", "consent_at"))

    giorgos, colleague = grnet(), person("gina", nrens=("GRNET",))
    for agree in (True, False, True):
        before = AuditEvent.objects.count()
        requests.consent(actor=giorgos, request=out, agree=agree, reason="so be it")
        events, rows = kept()
        assert events == before + 2, "one of each way, where the answer is another"
        for request in (out, back):
            again = requests.consent(actor=colleague, request=request, agree=agree, reason="once more")
            assert again.consent == ("given" if agree else "declined")
            assert kept() == (events, rows)
    PremiumRequest.objects.filter(pk=back.pk).update(consent=Consent.PENDING)
    before = AuditEvent.objects.count()
    requests.consent(actor=grnet(), request=out, agree=True)
    assert AuditEvent.objects.count() == before + 1, "what is asked again is answered again"
    requests.withdraw(actor=janet(), request=out, reason="not needed")
    with pytest.raises(StaleState):
        requests.consent(actor=grnet(), request=out, agree=True)


def test_the_receiver_agrees() -> None:
    request = requests.consent(actor=grnet(), request=submitted(), agree=True)
    assert request.consent == Consent.GIVEN
    assert request.consent_by is not None and request.consent_by.get_username() == "giorgos"
    event = AuditEvent.objects.get(action="request.consent")
    assert (event.before, event.after) == ({"consent": "pending"}, {"consent": "given"})


def test_one_answer_covers_both_ways() -> None:
    out, back = requests.submit(actor=janet(), data=replace(ASKED, direction="both"))
    requests.consent(actor=grnet(), request=back, agree=True)
    assert set(PremiumRequest.objects.values_list("consent", flat=True)) == {Consent.GIVEN}
    requests.consent(actor=grnet(), request=out, agree=False, reason="on second thoughts")
    assert set(PremiumRequest.objects.values_list("consent", flat=True)) == {Consent.DECLINED}


def test_nobody_else_answers() -> None:
    request = submitted()
    for actor, error in [
        (janet(), NotPermitted),
        (noc(), NotPermitted),
        (person("dirk", nrens=("DFN",)), NotVisible),
    ]:
        with pytest.raises(error):
            requests.consent(actor=actor, request=request, agree=True)
    request.refresh_from_db()
    assert request.consent == Consent.PENDING


def test_declining_needs_a_reason() -> None:
    with pytest.raises(InvalidInput):
        requests.consent(actor=grnet(), request=submitted(), agree=False)


def test_after_the_decision_it_is_too_late() -> None:
    with pytest.raises(StaleState):
        requests.consent(actor=grnet(), request=admitted(), agree=False, reason="too late")


def test_a_standing_consent_can_be_declined_for_one_request() -> None:
    change_link(GRNET, standing_consent=True)
    request = requests.consent(actor=grnet(), request=submitted(), agree=False, reason="not this one")
    assert request.consent == Consent.DECLINED


def test_evidence_can_be_looked_at_before_anybody_agrees() -> None:
    assert decisions.evidence(request=submitted()).evidence[0].headroom_bps == 7_750_000
