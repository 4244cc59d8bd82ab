"""Linux routers in namespaces, driven over SSH by the services that drive the others: plan, approve, push, read back, save.

What a router holds is asked of its kernel in its own words; our parser says nothing here.
"""

from __future__ import annotations

import os
import signal
import time
from collections.abc import Iterator
from datetime import timedelta

import pytest
from django.db import connections
from django.db.models.functions import Now
from django.utils import timezone

from provisioning.models import Change, Job, PremiumRequest, RouterLease, RouterPush, RouterSync, SyncState
from provisioning.pipeline.states import PushState, RequestState
from provisioning.selectors.plans import plan_of
from provisioning.services import jobs, verifying
from tests.linux.chain import Chain, chain
from tests.linux.over_ssh import Reached
from tests.services.backbone import Backbone

pytestmark = [pytest.mark.once, pytest.mark.django_db(transaction=True)]

CAP = "rate 777600bit "
"""5 % of 15,552 kbit/s."""


@pytest.fixture(scope="module")
def row() -> Iterator[Chain]:
    with chain(("JANET", "GRNET")) as made:
        yield made


def test_linux_routers_are_driven_like_any_other(row: Chain, _patient: None) -> None:
    """One network, one baseline: what each part leaves is where the next begins."""
    house = row.people()
    verified(house.roll_out())
    _a_reservation_goes_on_and_off_and_outlasts_a_reboot(row, house)
    _a_worker_that_is_killed_leaves_a_router_that_its_successor_finishes(row, house)
    _what_somebody_else_does_meanwhile_is_seen_and_never_built_upon(row, house)


def verified(change: Change) -> None:
    ends = [
        (push.router.name, push.phase, push.state, push.saved, push.error) for push in change.pushes.all()
    ]
    assert {end[2:4] for end in ends} <= {(PushState.VERIFIED, True), (PushState.VERIFIED, None)}, ends


def held(at: Reached) -> str:
    """Marks, queues and policers, without what they counted; an empty clsact is nothing."""
    return at.run(
        "nft -s list table inet expedite; tc qdisc show | grep -v clsact; tc filter show dev eth1 ingress\n"
    )


def planned(house: Backbone, source: str, destination: str) -> tuple[PremiumRequest, Change]:
    """A request that is admitted and planned."""
    request = house.admit(house.ask(source, destination, "500k"))
    return request, house.plan_for(request)


def _a_reservation_goes_on_and_off_and_outlasts_a_reboot(row: Chain, house: Backbone) -> None:
    london, athens = row.routers
    bare = held(london)
    assert "xp-" not in bare and "dscp set cs0" in bare, "nobody is let in as EF"
    for at, core in ((london, "eth2"), (athens, "eth3")):
        assert f"qdisc htb e611: dev {core} root" in held(at), "the core is queued"

    request, change = planned(house, "JANET", "GRNET")
    (push,) = change.pushes.all()
    assert push.router.name == "l1"
    assert any(line.text == "set dscp 46" for line in plan_of(push).commands)
    verified(house.push(house.approve(change, confirm_gaps=True)))
    request.refresh_from_db()
    assert request.state == RequestState.ACTIVE
    on = held(london)
    assert CAP in on and "2001:db8:1::/48" in on and "dscp set ef" in on and "Redirect to device xp-" in on

    london.router.clear()
    london.run("rm -rf /run/expedite; sh /etc/expedite/load.sh\n")
    assert sorted(held(london).split()) == sorted(on.split()), "what was saved is loaded at boot"
    assert verifying.verify_router(router=push.router).state == SyncState.IN_SYNC

    PremiumRequest.objects.filter(pk=request.pk).update(end=timezone.now() - timedelta(seconds=1))
    house.work()
    off = house.plan_for(request)
    verified(house.push(house.approve(off, confirm_gaps=True)))
    assert sorted(held(london).split()) == sorted(bare.split())
    request.refresh_from_db()
    assert request.state == RequestState.COMPLETED


def _what_somebody_else_does_meanwhile_is_seen_and_never_built_upon(row: Chain, house: Backbone) -> None:
    athens = row.routers[1]
    _, change = planned(house, "GRNET", "JANET")
    house.approve(change, confirm_gaps=True)
    # Before the first line: the edge lets EF in by hand.
    athens.run("nft flush chain inet expedite in/eth1\n")
    by_hand = held(athens)
    house.push(change)
    (push,) = change.pushes.all()
    assert push.state == PushState.STALE and "Ethernet1" in push.error
    assert held(athens) == by_hand, "nothing was sent"
    row_of = RouterSync.objects.get(router__name="l2")
    verifying.verify_router(router=push.router)
    row_of.refresh_from_db()
    assert row_of.state == SyncState.DIFFERS and [edge["interface"] for edge in row_of.open_edges] == [
        "Ethernet1"
    ]
    verified(house.push(house.approve(house.plan(), confirm_gaps=True)))
    assert "dscp set cs0" in held(athens)


def _a_worker_that_is_killed_leaves_a_router_that_its_successor_finishes(row: Chain, house: Backbone) -> None:
    london = row.routers[0]
    _, change = planned(house, "JANET", "GRNET")
    house.approve(change, confirm_gaps=True)
    kept = london.run("cat /run/expedite/policies\n")
    connections.close_all()
    child = os.fork()
    if child == 0:
        try:
            house.push(change)
        finally:
            os._exit(0)
    for _attempt in range(600):
        if london.run("cat /run/expedite/policies\n") != kept:
            break
        time.sleep(0.02)
    os.kill(child, signal.SIGKILL)
    assert os.WIFSIGNALED(os.waitpid(child, 0)[1]), "it was through before it was killed"
    (push,) = change.pushes.all()
    assert push.state == PushState.PUSHING
    assert CAP not in held(london), "it died between the first line and the last"
    RouterLease.objects.update(until=Now() - timedelta(seconds=1))
    Job.objects.filter(finished_at=None).update(lease_until=Now() - timedelta(seconds=1))
    jobs.work(workers=1, until_idle=True)
    change.refresh_from_db()
    verified(change)
    assert CAP in held(london)
    assert RouterPush.objects.get(pk=push.pk).transcripts.count() >= 2
