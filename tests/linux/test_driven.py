"""Linux routers in namespaces, driven over SSH by the services that drive the others: plan, approve, push, read back, save.

What a router holds is asked of its kernel in its own words; our parser says nothing here. While the reservation is on, the
documents' first experiments are made on it (the twin in short; all of it: `make twin`).
"""

from __future__ import annotations

import os
import signal
from collections.abc import Iterator, Sequence
from datetime import timedelta
from typing import Any
from unittest.mock import patch

import pytest
from django.db import connections
from django.db.models.functions import Now
from django.utils import timezone

from provisioning.drivers.base import BeforeWrite, UnitReply, WriteUnit
from provisioning.drivers.shell import ShellDriver
from provisioning.models import Change, Job, PremiumRequest, RouterLease, RouterPush, RouterSync, SyncState
from provisioning.pipeline.states import PushState, RequestState
from provisioning.selectors.plans import plan_of
from provisioning.services import jobs, verifying
from tests.linux.chain import Chain, chain
from tests.linux.over_ssh import Reached
from tests.services.backbone import Backbone
from tests.twin.experiments import QUICK, Measured
from tests.twin.faults import FAULTS
from tests.twin.path import Path, asked

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
    unsaid = _a_reservation_goes_on_and_off_and_outlasts_a_reboot(row, house)
    _a_worker_that_is_killed_leaves_a_router_that_its_successor_finishes(row, house)
    _what_somebody_else_does_meanwhile_is_seen_and_never_built_upon(row, house)
    if unsaid:
        pytest.skip(f"all but the experiments held; this machine offered too little for: {', '.join(unsaid)}")


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


def _a_reservation_goes_on_and_off_and_outlasts_a_reboot(row: Chain, house: Backbone) -> list[str]:
    """Returns the rows of experiments that said nothing."""
    london, athens = row.routers
    bare = held(athens)
    assert "xp-" not in bare and "dscp set cs0" in bare, "nobody is let in as EF"
    for at, core in ((london, "eth2"), (athens, "eth3")):
        assert f"qdisc htb e611: dev {core} root" in held(at), "the core is queued"

    request = house.admit(asked(row, house))
    change = house.plan_for(request)
    (push,) = change.pushes.all()
    assert push.router.name == "l2"
    assert any(line.text == "set dscp 46" for line in plan_of(push).commands)
    verified(house.push(house.approve(change, confirm_gaps=True)))
    request.refresh_from_db()
    assert request.state == RequestState.ACTIVE
    on = held(athens)
    assert CAP in on and row.address(1) in on and "dscp set ef" in on and "Redirect to device xp-" in on
    unsaid = _the_documents_first_experiments_hold_and_see_a_fault(Path(row, house, request))

    athens.router.clear()
    athens.run("rm -rf /run/expedite; sh /etc/expedite/load.sh\n")
    assert sorted(held(athens).split()) == sorted(on.split()), "what was saved is loaded at boot"
    assert verifying.verify_router(router=push.router).state == SyncState.IN_SYNC

    PremiumRequest.objects.filter(pk=request.pk).update(end=timezone.now() - timedelta(seconds=1))
    house.work()
    off = house.plan_for(request)
    verified(house.push(house.approve(off, confirm_gaps=True)))
    assert sorted(held(athens).split()) == sorted(bare.split())
    request.refresh_from_db()
    assert request.state == RequestState.COMPLETED
    return unsaid


def _the_documents_first_experiments_hold_and_see_a_fault(path: Path) -> list[str]:
    """The fault is left on the router: the reboot takes it away."""
    rows = [each for experiment in QUICK for each in experiment(path)]
    assert not [str(each) for each in rows if each.judged == "WRONG"]
    fault = next(each for each in FAULTS if each.name == "rate doubled")
    path.on(path.athens - fault.router, fault.script)
    seen: list[Measured] = [each for each in fault.seen_by(path) if each.key == fault.row]
    assert [str(each) for each in seen if each.judged == "ok"] == [], "the fault is not seen"
    router = path.request.source_link.interface.router
    assert verifying.verify_router(router=router).state == SyncState.DIFFERS
    return [each.key for each in (*rows, *seen) if each.judged == "inconclusive"]


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


_CONFIGURE = ShellDriver.configure


def _killed_before_its_second_write(
    driver: ShellDriver, units: Sequence[WriteUnit], before_unit: BeforeWrite, **how: Any
) -> Iterator[UnitReply]:
    def before(index: int, **closing: Any) -> None:
        if index == 1:
            os.kill(os.getpid(), signal.SIGKILL)
        before_unit(index, **closing)

    return _CONFIGURE(driver, units, before, **how)


def _a_worker_that_is_killed_leaves_a_router_that_its_successor_finishes(row: Chain, house: Backbone) -> None:
    london = row.routers[0]
    _, change = planned(house, "JANET", "GRNET")
    house.approve(change, confirm_gaps=True)
    kept = london.run("cat /run/expedite/policies\n")
    connections.close_all()
    child = os.fork()
    if child == 0:
        try:
            with patch.object(ShellDriver, "configure", _killed_before_its_second_write):
                house.push(change)
        finally:
            os._exit(0)
    status = os.waitpid(child, 0)[1]
    assert os.WIFSIGNALED(status) and os.WTERMSIG(status) == signal.SIGKILL, "it came to no second write"
    (push,) = change.pushes.all()
    assert push.state == PushState.PUSHING
    assert london.run("cat /run/expedite/policies\n") != kept, "the first write is on"
    assert CAP not in held(london), "it died between the first line and the last"
    RouterLease.objects.update(until=Now() - timedelta(seconds=1))
    Job.objects.filter(finished_at=None).update(lease_until=Now() - timedelta(seconds=1))
    jobs.work(workers=1, until_idle=True)
    change.refresh_from_db()
    verified(change)
    assert CAP in held(london)
    assert RouterPush.objects.get(pk=push.pk).transcripts.count() >= 2
