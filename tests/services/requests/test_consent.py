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
