"""Who approves a change: nobody who stands behind a part of it, and two people where no request asked for its lines (ADR 44)."""

from __future__ import annotations

from functools import partial
from typing import Any

import pytest

from inventory.models import Nren
from provisioning.errors import Conflict, NotPermitted
from provisioning.models import (
    SYSTEM,
    Actor,
    Approval,
    BreakGlass,
    Change,
    PremiumRequest,
    Role,
    Via,
)
from provisioning.selectors.approvals import missing_of
from provisioning.selectors.authority import to_approving
from provisioning.services import changes, people, tokens
from provisioning.services.planning import plan_domain
from tests.services.house import House
from tests.services.house import bare_house as bare_house
from tests.services.house import house as house
from tests.services.in_threads import at_once

pytestmark = pytest.mark.once  # over practice routers, the same on either database


def person(name: str, *roles: Role, nrens: tuple[str, ...] = ()) -> Actor:
    rows = list(Nren.objects.filter(name__in=nrens))
    people.put_person(actor=SYSTEM, username=name, roles=roles or (Role.NOC,), nrens=rows)
    return people.actor_named(name, via=Via.WEB)


def due(house: House, number: int = 1, **fields: Any) -> Change:
    request = house.ask(number, "SURFnet", 9, **fields)
    house.begin(request)
    house.work()
    return request.changes.get()


def test_one_of_the_noc_does_not_push_a_baseline_that_rides_on_a_request(bare_house: House) -> None:
    """Issue 11, row 2: admitted, approved and pushed by one person, with the baseline of the router on board."""
    change = due(bare_house)
    assert change.base_lines, "nothing of ours is on the router yet"
    alone = bare_house.noc[0]
    assert PremiumRequest.objects.get().decided_by_id == alone.user_id, "the same person admitted it"
    changes.approve(actor=alone, change=change, confirm_gaps=True)
    change.refresh_from_db()
    assert change.approved_at is None
    assert missing_of(change) == (
        "a second member of the NOC has to approve it: it carries lines that no request asked for",
    )
    with pytest.raises(Conflict, match="has no approved router"):
        changes.release(actor=alone, change=change)
    with pytest.raises(Conflict, match="You have approved"):
        changes.approve(actor=alone, change=change, confirm_gaps=True)
    changes.approve(actor=bare_house.noc[1], change=change, confirm_gaps=True)
    change.refresh_from_db()
    assert change.approved_at is not None


def test_whoever_planned_a_baseline_is_one_of_the_two_and_does_not_approve_it(bare_house: House) -> None:
    change = plan_domain(actor=bare_house.noc[0])
    with pytest.raises(NotPermitted, match=f"{change.reference} was planned by you"):
        changes.approve(actor=bare_house.noc[0], change=change)
    changes.approve(actor=bare_house.noc[1], change=change)
    change.refresh_from_db()
    assert change.approved_at is not None


def test_a_baseline_that_nobody_named_planned_needs_two(bare_house: House) -> None:
    change = plan_domain(actor=SYSTEM)
    changes.approve(actor=bare_house.noc[0], change=change)
    change.refresh_from_db()
    assert change.approved_at is None and "a second member" in missing_of(change)[0]


def test_the_setting_asks_two_people_of_every_change(house: House, settings: Any) -> None:
    settings.TWO_PEOPLE = True
    change = due(house)
    assert not change.base_lines
    changes.approve(actor=house.noc[0], change=change, confirm_gaps=True)
    change.refresh_from_db()
    assert change.approved_at is None
    assert missing_of(change) == (
        "a second member of the NOC has to approve it: two people stand behind every change",
    )


@pytest.mark.parametrize("nren", ["SURFnet", "GRNET"])
def test_who_belongs_to_a_concerned_nren_does_not_approve(house: House, nren: str) -> None:
    change = due(house)
    concerned = change.requests.get()
    names = {concerned.nren.name, concerned.receiving_nren.name if concerned.receiving_nren else ""}
    double = person("double", nrens=(nren,))
    if nren not in names:
        pytest.skip(f"the request concerns {names}")
    with pytest.raises(NotPermitted) as refused:
        changes.approve(actor=double, change=change, confirm_gaps=True)
    assert refused.value.reason == " ".join(each.text for each in to_approving(double, change))
    assert f"concerns {nren}, to which you belong" in refused.value.reason


def test_a_word_given_before_joining_the_nren_counts_no_more(bare_house: House) -> None:
    change = due(bare_house)
    olga = person("olga")
    changes.approve(actor=olga, change=change, confirm_gaps=True)
    person("olga", nrens=("SURFnet",))
    changes.approve(actor=bare_house.noc[0], change=change, confirm_gaps=True)
    change.refresh_from_db()
    assert change.approved_at is None
    people.put_person(actor=SYSTEM, username="olga", roles=[Role.OPERATOR])
    assert len(missing_of(change)) == 1, "nor does it when she approves nothing any more"
    changes.approve(actor=bare_house.noc[1], change=change, confirm_gaps=True)
    change.refresh_from_db()
    assert change.approved_at is not None


def test_one_person_with_two_accounts_and_a_token_is_one_person(bare_house: House) -> None:
    """Whoever issued the token with which a second account approves has spoken twice, not for two."""
    change = due(bare_house)
    olga = person("olga", Role.OPERATOR, Role.ADMINISTRATOR)
    user = people.put_person(actor=SYSTEM, username="second", roles=[Role.NOC])
    _row, text = tokens.issue(actor=olga, user=user, nren=None, name="mine too")
    second = tokens.actor_of(tokens.authenticate(text=text, address=None))
    assert second.issuer_id == olga.user_id
    changes.approve(actor=second, change=change, confirm_gaps=True)
    with pytest.raises(Conflict, match="You have approved"):
        changes.approve(actor=person("olga"), change=change, confirm_gaps=True)
    change.refresh_from_db()
    assert change.approved_at is None


def test_break_glass_approves_alone_and_once(bare_house: House) -> None:
    change, alone = due(bare_house), bare_house.noc[0]
    changes.approve(actor=alone, change=change, confirm_gaps=True, break_glass="GRNET is dark and I am alone")
    change.refresh_from_db()
    assert change.approved_at is not None
    row = BreakGlass.objects.get()
    assert (row.change, row.user_id, row.acknowledged_at) == (change, alone.user_id, None)
    assert row.objections == [
        "a second member of the NOC has to approve it: it carries lines that no request asked for"
    ]


def test_break_glass_after_ones_own_first_word(bare_house: House) -> None:
    change, alone = due(bare_house), bare_house.noc[0]
    changes.approve(actor=alone, change=change, confirm_gaps=True)
    changes.approve(actor=alone, change=change, confirm_gaps=True, break_glass="nobody else answers")
    change.refresh_from_db()
    assert change.approved_at is not None and Approval.objects.filter(change=change).count() == 1


def test_an_operator_does_not_break_glass(bare_house: House) -> None:
    change = due(bare_house)
    with pytest.raises(NotPermitted, match="Only an approver of the NOC approves a change"):
        changes.approve(actor=person("otto", Role.OPERATOR), change=change, break_glass="urgent")


@pytest.mark.postgres
@pytest.mark.django_db(transaction=True)
@pytest.mark.one_transaction
def test_approvals_of_one_person_that_race_count_once(transactional_db: None, bare_house: House) -> None:
    """Four at once by the same person, then two people at once: never the last word of two by one."""
    change, (one, two) = due(bare_house), bare_house.noc[:2]
    give = partial(changes.approve, change=change, confirm_gaps=True)
    at_once(*[partial(give, actor=one)] * 4)
    change.refresh_from_db()
    assert change.approved_at is None
    assert list(change.approvals.values_list("user_id", flat=True)) == [one.user_id]
    at_once(partial(give, actor=one), partial(give, actor=two), partial(give, actor=two))
    change.refresh_from_db()
    assert change.approved_at is not None
    assert sorted(change.approvals.values_list("user_id", flat=True)) == sorted([one.user_id, two.user_id])
