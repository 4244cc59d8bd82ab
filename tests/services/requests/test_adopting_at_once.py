"""Two people adopting, and giving up, the same routers at the same instant: one truth, in rows and in the trail."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from inventory.readers.network_yaml import read_network_text
from provisioning.models import SYSTEM, AdoptedName, AuditEvent
from provisioning.services import adopting, audit
from provisioning.services.inventory import import_network
from tests.services.in_threads import at_once
from tests.services.requests.sixnet import noc

CONFIGS = Path(__file__).parents[2] / "management" / "handmade"
ROUNDS = 4


@pytest.mark.django_db(transaction=True)
def test_two_adoptions_and_a_giving_up_at_once_leave_one_truth() -> None:
    looks, _ = adopting.looks_from_texts((each.name, each.read_text()) for each in sorted(CONFIGS.iterdir()))
    text = adopting.propose_network(looks, scheme="6net").text
    import_network(actor=SYSTEM, network=read_network_text(text.encode(), source="proposed"))
    found, others = adopting.recognise(looks)
    assert not others
    names = sorted(look.router for look in looks)

    def applying(who: str) -> Callable[[], list[str]]:
        actor = noc(who)
        return lambda: sorted(adopting.apply(actor=actor, recognised=found, reason="as it is"))

    def forgetting(who: str) -> Callable[[], list[str]]:
        actor = noc(who)
        return lambda: adopting.forget(actor=actor, routers=names, reason="no")

    for _round in range(ROUNDS):
        assert at_once(applying("nora"), applying("niels")) == [names, names]
        assert AdoptedName.objects.count() == 11
        said = at_once(applying("nora"), forgetting("niels"))
        assert said == [names, names], said
        assert AdoptedName.objects.count() in (0, 11)
        kept = {
            event.object_label: event.action
            for event in AuditEvent.objects.filter(object_label__in=names).order_by("sequence")
        }
        last = "router.adopted" if AdoptedName.objects.exists() else "router.names-given-up"
        assert set(kept.values()) == {last}
    assert audit.verify_chain().intact
