"""Who asked, by whatever door, does not decide; break-glass is seen by everybody until somebody else acknowledged it (ADR 44)."""

from __future__ import annotations

from dataclasses import replace

import pytest
from django.core.management import call_command
from django.db import IntegrityError, transaction

from inventory.models import Nren
from provisioning.errors import InvalidInput, NotPermitted, StaleState
from provisioning.models import SYSTEM, Actor, AuditEvent, BreakGlass, Notification, PremiumRequest, Role, Via
from provisioning.pipeline.states import RequestState
from provisioning.selectors import broken_glass
from provisioning.selectors.requests import visible
from provisioning.services import break_glass, decisions, modifications, people, requests, series, tokens
from provisioning.services.modifications import Modify
from tests.services.requests.sixnet import ASKED, grnet, import_sixnet, janet, noc, person
from tests.services.series.weekly import asked_for

pytestmark = pytest.mark.once


@pytest.fixture(autouse=True)
def network(db: None) -> None:
    import_sixnet()


def agreed(actor: Actor, **more: object) -> PremiumRequest:
    (row, *_) = requests.submit(actor=actor, data=replace(ASKED, **more))
    requests.consent(actor=grnet(), request=row, agree=True)
    row.refresh_from_db()
    return row


def by_token(text: str) -> Actor:
    return tokens.actor_of(tokens.authenticate(text=text, address=None))


def test_who_belongs_to_the_nren_does_not_admit_what_its_token_asked(
    capsys: pytest.CaptureFixture[str],
) -> None:
    """Issue 11, row 1: noc and nren JANET in one person, with the token that `manage.py token JANET` prints."""
    double = person("nils", Role.NOC, nrens=("JANET",))
    call_command("token", "JANET")
    asked = agreed(by_token(capsys.readouterr().out.strip()))
    assert asked.submitted_by.get_username() == "api-janet"
    said = (
        f"{asked.reference} concerns JANET, to which you belong: somebody else of the NOC decides about it."
    )
    for deed in (decisions.admit, decisions.refuse, decisions.unhold):
        with pytest.raises(NotPermitted) as refused:
            deed(actor=double, request=asked, reason="it fits")
        assert refused.value.reason == said
    asked.refresh_from_db()
    assert asked.state == RequestState.SUBMITTED
    decisions.admit(actor=noc(), request=asked, reason="it fits")


def test_who_belongs_to_the_nren_that_receives_does_not_admit_either() -> None:
    asked = agreed(janet())
    with pytest.raises(NotPermitted, match="concerns GRNET, to which you belong"):
        decisions.admit(actor=person("nikos", Role.NOC, nrens=("GRNET",)), request=asked, reason="it fits")


def test_who_issued_the_token_does_not_admit_what_it_asked() -> None:
    boss = person("olga", Role.ADMINISTRATOR)
    user = people.put_person(actor=SYSTEM, username="api-janet", nrens=[Nren.objects.get(name="JANET")])
    _row, text = tokens.issue(actor=boss, user=user, nren=Nren.objects.get(name="JANET"), name="script")
    asked = agreed(by_token(text))
    changed = person("olga", Role.NOC)  # her role has changed since: her hand has not
    with pytest.raises(NotPermitted, match="submitted with a token that you issued"):
        decisions.admit(actor=changed, request=asked, reason="it fits")


def test_a_token_is_the_word_of_whoever_issued_it() -> None:
    """Who asked cannot decide with a token that they issued to an approver's account."""
    user = people.put_person(actor=SYSTEM, username="night", roles=[Role.NOC])
    asker = person("olga", Role.OPERATOR, Role.ADMINISTRATOR)
    asked = agreed(asker)
    _row, text = tokens.issue(actor=asker, user=user, nren=None, name="night shift")
    with pytest.raises(NotPermitted, match="was submitted by you"):
        decisions.admit(actor=by_token(text), request=asked, reason="it fits")
    decisions.admit(actor=people.actor_named("night", via=Via.WEB), request=asked, reason="it fits")


def test_who_changed_it_before_the_decision_stands_behind_it_as_well() -> None:
    olga, asked = person("olga", Role.NOC), agreed(janet())
    modifications.modify(
        actor=olga, request=asked, wanted=Modify(rate="1 Mbit/s"), reason="less will do for them"
    )
    # JANET changes it once more, so that the row names JANET's person again.
    modifications.modify(actor=janet(), request=asked, wanted=Modify(rate="900 kbit/s"), reason="even less")
    asked.refresh_from_db()
    requests.consent(actor=grnet(), request=asked, agree=True)
    with pytest.raises(NotPermitted, match="was submitted by you"):
        decisions.admit(actor=olga, request=asked, reason="it fits")


def test_who_proposed_a_modification_does_not_decide_about_it() -> None:
    olga, asked = person("olga", Role.NOC), agreed(janet())
    decisions.admit(actor=noc(), request=asked, reason="it fits")
    made = modifications.modify(
        actor=olga, request=asked, wanted=Modify(rate="1 Mbit/s"), reason="less will do for them"
    )
    assert made is not None
    with pytest.raises(NotPermitted, match=f"{made.reference} was submitted by you"):
        modifications.admit(actor=olga, modification=made, reason="it fits")
    with pytest.raises(NotPermitted, match="concerns JANET"):
        modifications.refuse(actor=person("nils", Role.NOC, nrens=("JANET",)), modification=made, reason="no")
    modifications.admit(actor=noc(), modification=made, reason="it fits")


def test_a_series_is_not_decided_by_who_belongs_to_it() -> None:
    asked = asked_for()
    with pytest.raises(NotPermitted, match="concerns JANET"):
        series.refuse(actor=person("nils", Role.NOC, nrens=("JANET",)), series=asked, reason="no")


def test_an_operator_decides_nothing_and_an_approver_plans_nothing() -> None:
    asked = agreed(janet())
    with pytest.raises(NotPermitted, match="Only an approver of the NOC decides about requests"):
        decisions.admit(actor=person("otto", Role.OPERATOR), request=asked, reason="it fits")
    approver = person("anna", Role.APPROVER)
    with pytest.raises(NotPermitted, match="Only an engineer of an NREN or an operator of the NOC asks"):
        requests.submit(actor=approver, data=ASKED)
    decisions.admit(actor=approver, request=asked, reason="it fits")


def test_a_reader_of_an_nren_sees_and_does_nothing() -> None:
    asked = agreed(janet())
    reader = person("rosa", Role.READER, nrens=("JANET",))
    assert broken_glass.for_actor(reader).count() == 0
    assert visible(reader, asked.pk) == asked
    for deed in (
        lambda: requests.submit(actor=reader, data=ASKED),
        lambda: requests.withdraw(actor=reader, request=asked, reason="no"),
        lambda: requests.consent(
            actor=person("rita", Role.READER, nrens=("GRNET",)), request=asked, agree=False
        ),
        lambda: modifications.modify(actor=reader, request=asked, wanted=Modify(rate="1 Mbit/s"), reason="x"),
    ):
        with pytest.raises(NotPermitted, match="Only"):
            deed()


def test_break_glass_admits_once_is_told_and_stands_until_another_acknowledged_it() -> None:
    olga = person("olga", Role.NOC)
    asked = agreed(olga)
    with pytest.raises(NotPermitted):
        decisions.admit(actor=olga, request=asked, reason="it fits")
    decisions.admit(
        actor=olga, request=asked, reason="it fits", break_glass="the eclipse begins in ten minutes"
    )
    asked.refresh_from_db()
    assert asked.state == RequestState.ADMITTED
    (row,) = broken_glass.standing()
    assert (row.user.get_username(), row.request, row.reason) == (
        "olga",
        asked,
        "the eclipse begins in ten minutes",
    )
    assert row.objections == [f"{asked.reference} was submitted by the same person"]
    event = AuditEvent.objects.get(action="break-glass")
    assert (event.actor, event.reason, event.nren_ids) == (
        "olga",
        "the eclipse begins in ten minutes",
        sorted([asked.nren_id, asked.receiving_nren_id]),
    )
    told = Notification.objects.get(topic="break-glass")
    assert told.over_at is None and told.path == f"/requests/{asked.pk}/"
    assert set(broken_glass.for_actor(janet())) == set(broken_glass.for_actor(grnet())) == {row}
    assert not broken_glass.for_actor(person("dieter", nrens=("DFN",))).exists()

    with pytest.raises(NotPermitted, match=f"{row.reference} was done by you"):
        break_glass.acknowledge(actor=olga, row=row)
    for stranger in (janet(), person("audrey", Role.AUDITOR)):
        with pytest.raises(NotPermitted, match="Only the NOC acknowledges"):
            break_glass.acknowledge(actor=stranger, row=row)
    break_glass.acknowledge(actor=person("otto", Role.OPERATOR), row=row, reason="read it in the morning")
    assert not broken_glass.standing().exists()
    told.refresh_from_db()
    assert told.over_at is not None
    with pytest.raises(StaleState, match="acknowledged already"):
        break_glass.acknowledge(actor=noc(), row=row)
    second = agreed(olga)
    with pytest.raises(NotPermitted, match="was submitted by you"):  # it held for the one deed only
        decisions.admit(actor=olga, request=second, reason="it fits")


def test_break_glass_never_overrides_a_role_nor_what_does_not_fit_and_is_refused_where_nothing_is_broken() -> (
    None
):
    asked = agreed(janet())
    for actor in (person("otto", Role.OPERATOR), janet(), person("audrey", Role.AUDITOR)):
        with pytest.raises(NotPermitted, match="Only an approver of the NOC"):
            decisions.admit(actor=actor, request=asked, reason="x", break_glass="urgent")
    with pytest.raises(InvalidInput, match="nothing stands against it"):
        decisions.admit(actor=noc(), request=asked, reason="x", break_glass="just in case")
    olga = person("olga", Role.NOC)
    too_much = agreed(olga, rate="90 Mbit/s")
    decisions.admit(actor=olga, request=too_much, reason="x", break_glass="urgent")
    too_much.refresh_from_db()
    assert too_much.state == RequestState.SUBMITTED
    assert not BreakGlass.objects.exists(), "nothing was decided, so nothing was broken"


def test_the_database_refuses_a_break_glass_acknowledged_by_whoever_did_it() -> None:
    olga = person("olga", Role.NOC)
    asked = agreed(olga)
    decisions.admit(actor=olga, request=asked, reason="x", break_glass="urgent")
    with pytest.raises(IntegrityError), transaction.atomic():
        BreakGlass.objects.update(acknowledged_by=olga.user_id)
