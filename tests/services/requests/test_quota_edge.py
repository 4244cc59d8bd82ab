"""Many of one NREN at the edge of its quota at once: never more than it allows, and none refused once there is room again.

Each in a thread and on a connection of its own.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from dataclasses import replace
from functools import partial
from pathlib import Path
from tempfile import NamedTemporaryFile

import pytest
from django.db import connections, transaction

from inventory.models import Nren
from inventory.readers.network_yaml import read_network
from provisioning.errors import QuotaExceeded
from provisioning.models import SYSTEM, PremiumRequest
from provisioning.selectors import quotas as reading
from provisioning.selectors.quotas import Limits
from provisioning.services import audit, clock, decisions, modifications, quotas, requests, series
from provisioning.services.decisions.links import lock_links
from provisioning.services.inventory import import_network
from provisioning.services.modifications import Modify
from tests.kept import kept
from tests.services.in_threads import Answer, at_once
from tests.services.requests.sixnet import (
    ASKED,
    JANET,
    SIX_NET,
    admitted,
    agreed,
    grnet,
    hours,
    janet,
    noc,
    submitted,
)
from tests.services.series.weekly import asked_for

pytestmark = [pytest.mark.postgres, pytest.mark.django_db(transaction=True)]
MEGABIT = 1_000_000
RENATER = "RENATER@fr6:GigabitEthernet1/0"
JANETS_SECOND = "JANET@gr6:POS3/0"


@pytest.fixture(autouse=True)
def _six(postgres: None, transactional_db: None) -> None:
    kept("6net, JANET twice", lambda: link_janet_twice() and None)
    noc("nora")


def link_janet_twice() -> None:
    """6NET where JANET has a second link, in Athens: two requests of it need not meet on any link."""
    first = "  - {nren: JANET,    router: uk6, interface: POS1/0, "
    second = "  - {nren: JANET, router: gr6, interface: POS3/0, capacity_bps: 155520000, "
    second += 'prefix: "2001:798:17:300::/64", case: trusted, standing: true, provenance: representative}\n'
    text = SIX_NET.read_text()
    assert text.count(first) == 1
    with NamedTemporaryFile("w", suffix=".yaml") as file:
        file.write(text.replace(first, second + first))
        file.flush()
        import_network(actor=SYSTEM, network=read_network(Path(file.name)))
    # One decision: the network is kept as a record by then, and nobody waits for whoever keeps it first.
    earlier = submitted(rate=1000)
    holding(earlier)()
    requests.withdraw(actor=janet(), request=earlier, reason="not needed")


def asked_apart(number: int) -> PremiumRequest:
    """One Mbit/s of JANET, from one of its links or the other, by turns; the two have no link in common."""
    if number % 2:
        return submitted(rate=MEGABIT, source_link=JANETS_SECOND)
    return submitted(rate=MEGABIT, destination_link=RENATER, destination_prefixes=("2001:660::/32",))


def allow(**limits: int) -> None:
    nren = Nren.objects.get(name="JANET")
    quotas.set_quota(actor=noc(), domain=nren.domain, nren=nren, limits=Limits(**limits), reason="agreed")


def holding(row: PremiumRequest) -> Callable[[], object]:
    return partial(decisions.hold, actor=noc(), request=row, until=hours(1), reason="talks")


def letting_go(row: PremiumRequest) -> Callable[[], object]:
    return partial(decisions.unhold, actor=noc(), request=row, reason="over")


def counted(said: list[Answer | Exception]) -> tuple[int, int]:
    """How many got through, and how many the quota refused; nothing else was raised."""
    refused = [one for one in said if isinstance(one, QuotaExceeded)]
    others = [one for one in said if isinstance(one, Exception) and not isinstance(one, QuotaExceeded)]
    assert not others, others
    return len(said) - len(refused), len(refused)


def held() -> list[PremiumRequest]:
    return list(PremiumRequest.objects.filter(state="HELD").order_by("pk"))


def free() -> list[PremiumRequest]:
    return list(PremiumRequest.objects.filter(state="SUBMITTED").order_by("pk"))


@pytest.mark.parametrize("limits", [{"holds": 2}, {"rate_bps": 2 * MEGABIT}])
def test_of_holds_at_once_as_many_get_through_as_the_quota_allows(limits: dict[str, int]) -> None:
    allow(**limits)
    for number in range(4):
        asked_apart(number)
    assert counted(at_once(*map(holding, free()))) == (2, 2)
    assert len(held()) == 2
    # One lets go; of those who wait one gets its place, and only one.
    decisions.unhold(actor=noc(), request=held()[0], reason="over")
    assert counted(at_once(*map(holding, free()))) == (1, 2)
    at_once(*map(letting_go, held()))
    assert not held() and counted(at_once(*map(holding, free()))) == (2, 2)
    assert audit.verify_chain().intact


def test_while_some_let_go_and_others_take_it_is_never_more_and_in_the_end_all_of_it_is_had(
    settings: object,
) -> None:
    settings.HOLD_MOST_TIMES = 0  # type: ignore[attr-defined]
    allow(holds=2, rate_bps=2 * MEGABIT)
    rows = [asked_apart(number) for number in range(4)]
    most: list[int] = []
    over = threading.Event()

    def watch() -> None:
        try:
            while not over.is_set():
                most.append(PremiumRequest.objects.filter(state="HELD").count())
                time.sleep(0.005)
        finally:
            connections.close_all()

    def again_and_again(row: PremiumRequest) -> tuple[int, int]:
        found = [0, 0]
        for _time in range(4):
            try:
                holding(row)()
            except QuotaExceeded:
                found[1] += 1
            else:
                found[0] += 1
                letting_go(row)()
        return found[0], found[1]

    watcher = threading.Thread(target=watch)
    watcher.start()
    try:
        said = at_once(*(partial(again_and_again, row) for row in rows))
    finally:
        over.set()
        watcher.join()
    assert not [one for one in said if isinstance(one, Exception)], said
    assert max(most) <= 2 and sum(one[0] for one in said) >= 4, said
    assert not held() and counted(at_once(*map(holding, rows))) == (2, 2)


def test_a_series_and_single_requests_meet_at_the_last_hold() -> None:
    allow(holds=1)
    made = asked_for(rate=1000)
    rows = [submitted(rate=1000) for _each in range(3)]
    whole = partial(series.hold, actor=noc(), series=made, until=hours(1), reason="talks")
    for _round in range(3):
        assert counted(at_once(whole, *map(holding, rows))) == (1, 3)
        for row in [one for one in held() if one.series_id is None]:
            decisions.unhold(actor=noc(), request=row, reason="over")
        if held():
            series.unhold(actor=noc(), series=made, reason="over")


def test_of_requests_at_once_as_many_get_through_as_may_be_open_and_a_withdrawal_makes_room() -> None:
    allow(open_requests=3)
    asking = partial(requests.submit, actor=janet(), data=replace(ASKED, rate=1000))
    assert counted(at_once(*(asking for _each in range(6)))) == (3, 3)
    for _round in range(3):
        requests.withdraw(actor=janet(), request=free()[0], reason="not needed")
        assert counted(at_once(*(asking for _each in range(3)))) == (1, 2)
    assert len(free()) == 3


def test_who_withdraws_meets_who_asks_and_it_is_never_more() -> None:
    allow(open_requests=2)
    asking = partial(requests.submit, actor=janet(), data=replace(ASKED, rate=1000))
    for _round in range(4):
        while len(free()) < 2:
            asking()
        leaving = [partial(requests.withdraw, actor=janet(), request=row, reason="x") for row in free()]
        counted(at_once(*leaving, asking, asking))
        assert len(free()) <= 2


def test_series_at_once_and_offers_taken_of_what_was_refused_count_as_open() -> None:
    allow(open_requests=2)
    refused = agreed(rate=8 * MEGABIT)
    decisions.refuse(actor=noc(), request=refused, reason="too much")
    again = partial(requests.take_offer, actor=janet(), request=refused, kind="lower-rate")
    assert counted(at_once(asked_for, asked_for, again)) == (2, 1)
    assert reading.open_requests(Nren.objects.get(name="JANET"), now=clock.now()) == 2


def test_modifications_holds_and_admissions_meet_at_the_last_of_the_rate() -> None:
    rows = [admitted(rate=MEGABIT, start=hours(10), end=hours(20)) for _each in range(2)]
    third, fourth = (agreed(rate=MEGABIT, start=hours(10), end=hours(20)) for _each in range(2))
    proposals = []
    for row in rows:
        made = modifications.modify(
            actor=janet(), request=row, wanted=Modify(rate=2 * MEGABIT), reason="more"
        )
        assert made is not None
        proposals.append(modifications.consent(actor=grnet(), modification=made, agree=True))
    allow(rate_bps=3 * MEGABIT)
    more = [partial(modifications.admit, actor=noc(), modification=made, reason="fits") for made in proposals]
    admit = partial(decisions.admit, actor=noc(), request=third, reason="fits")
    said = at_once(*more, admit, holding(fourth))
    assert counted(said) == (1, 3)
    nren = Nren.objects.get(name="JANET")
    assert reading.used_of(nren, now=clock.now()).rate_bps == 3 * MEGABIT


@pytest.mark.parametrize("of_all", [False, True])
def test_a_quota_that_is_set_counts_what_is_decided_at_that_moment(of_all: bool) -> None:
    """A hold under way when nothing was bounded yet, and one on other links after the quota was set."""
    first, second = asked_apart(1), asked_apart(2)
    nren, nora, hold_first, hold_second = (
        Nren.objects.get(name="JANET"),
        noc(),
        holding(first),
        holding(second),
    )
    decided, leave = threading.Event(), threading.Event()

    def under_way() -> None:
        with transaction.atomic():
            hold_first()
            decided.set()
            assert leave.wait(60)

    def bound_then_held() -> object:
        assert decided.wait(60)
        threading.Timer(0.5, leave.set).start()
        limits = Limits(rate_bps=MEGABIT, holds=1)
        of = None if of_all else nren
        quotas.set_quota(actor=nora, domain=nren.domain, nren=of, limits=limits, reason="agreed")
        return hold_second()

    said = at_once(under_way, bound_then_held)
    assert isinstance(said[1], QuotaExceeded), said
    assert [row.pk for row in held()] == [first.pk]


def test_who_began_before_a_quota_was_set_and_waited_meanwhile_is_bound_by_it() -> None:
    rows = [asked_apart(1), asked_apart(2)]
    nren, nora, holds = Nren.objects.get(name="JANET"), noc(), [holding(row) for row in rows]
    locked = threading.Event()

    def bound_by_who_is_in_the_way() -> None:
        with transaction.atomic():
            lock_links([JANET, JANETS_SECOND])
            locked.set()
            time.sleep(0.5)  # both wait for their links by now
            limits = Limits(rate_bps=MEGABIT, holds=1)
            quotas.set_quota(actor=nora, domain=nren.domain, nren=nren, limits=limits, reason="agreed")

    def begin(hold: Callable[[], object]) -> object:
        assert locked.wait(60)
        return hold()

    said = at_once(bound_by_who_is_in_the_way, *(partial(begin, hold) for hold in holds))
    assert counted(said[1:]) == (1, 1), said
    assert len(held()) == 1
