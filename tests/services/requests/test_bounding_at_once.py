"""Who asks while the NOC bounds what may be open: nobody slips through, and no stranger waits.

Each in a thread and on a connection of its own.
"""

from __future__ import annotations

import threading
import time
from dataclasses import replace
from functools import partial

import pytest
from django.db import transaction

from inventory.models import Nren
from provisioning.errors import QuotaExceeded
from provisioning.models import PremiumRequest
from provisioning.selectors.quotas import Limits
from provisioning.services import quotas, requests
from tests.services.in_threads import at_once
from tests.services.requests.sixnet import ASKED, grnet, import_sixnet, janet, noc

pytestmark = [pytest.mark.postgres, pytest.mark.django_db(transaction=True)]


@pytest.fixture(autouse=True)
def _six(postgres: None, transactional_db: None) -> None:
    import_sixnet()


@pytest.mark.parametrize("of_all", [False, True])
def test_a_bound_of_open_requests_counts_who_asks_at_that_moment(of_all: bool) -> None:
    """Two ask while nothing is bounded yet; it is set before they are done, and a third asks after that."""
    nren, nora, jane = Nren.objects.get(name="JANET"), noc(), janet()
    asking = partial(requests.submit, actor=jane, data=replace(ASKED, rate=1000))
    stored, leave = threading.Event(), threading.Event()

    def under_way() -> None:
        with transaction.atomic():
            asking()
            stored.set()
            assert leave.wait(60)

    def bound_then_asked() -> object:
        assert stored.wait(60)
        threading.Timer(0.5, leave.set).start()
        of = None if of_all else nren
        quotas.set_quota(
            actor=nora, domain=nren.domain, nren=of, limits=Limits(open_requests=2), reason="agreed"
        )
        return asking()

    def asked_meanwhile() -> object:
        assert stored.wait(60)
        time.sleep(0.2)
        return asking()

    said = at_once(under_way, bound_then_asked, asked_meanwhile)
    refused = [one for one in said if isinstance(one, Exception)]
    assert len(refused) == 1 and isinstance(refused[0], QuotaExceeded), said
    assert PremiumRequest.objects.filter(state="SUBMITTED").count() == 2


def test_strangers_ask_while_somebody_asks() -> None:
    """What one NREN is storing keeps no other waiting."""
    jane, theirs = janet(), grnet()
    back = replace(
        ASKED,
        rate=1000,
        source_link=ASKED.destination_link,
        destination_link=ASKED.source_link,
        source_prefixes=ASKED.destination_prefixes,
        destination_prefixes=ASKED.source_prefixes,
    )
    stored, leave = threading.Event(), threading.Event()

    def under_way() -> None:
        with transaction.atomic():
            requests.submit(actor=jane, data=replace(ASKED, rate=1000))
            stored.set()
            assert leave.wait(60)

    def stranger() -> object:
        assert stored.wait(60)
        made = requests.submit(actor=theirs, data=back)
        leave.set()  # only now does the other one go on: it was not waited for
        return made

    said = at_once(under_way, stranger)
    assert not [one for one in said if isinstance(one, Exception)], said
    assert PremiumRequest.objects.filter(state="SUBMITTED").count() == 2
