"""A decision that meets a change of the network: it is made against the new one, whoever comes first."""

from __future__ import annotations

from functools import partial
from pathlib import Path

import pytest
from django.utils import timezone

from inventory.models import Domain
from provisioning.models import LedgerEntry, PremiumRequest, TopologyVersion
from provisioning.pipeline.admission import Admitted, Refused
from provisioning.selectors.overcommitment import overcommitted
from provisioning.services import decisions
from tests.services.in_threads import at_once
from tests.services.requests.sixnet import noc
from tests.services.topology.diamond import DIAMOND, MBIT, Core, ask, core, network, put

pytestmark = pytest.mark.django_db(transaction=True)
HIGHER: tuple[Core, ...] = (("a", "b", 100), *DIAMOND[1:])
ROUNDS = 6


def test_admissions_while_the_path_goes_to_and_fro(tmp_path: Path) -> None:
    """After every round: who was admitted is charged on the path of now, and nobody was admitted past a share."""
    file = tmp_path / "network.yaml"
    put(network(file, DIAMOND))
    noc("nora")
    outcomes = set()
    for number in range(ROUNDS):
        changed = network(tmp_path / f"{number}.yaml", HIGHER if number % 2 == 0 else DIAMOND)
        asked = [ask("a", "d", 3 * MBIT), ask("c", "d", 3 * MBIT)]
        admit = [partial(decisions.admit, actor=noc(), request=each, reason="try") for each in asked]
        imported, *verdicts = at_once(partial(put, changed), *admit)
        assert not isinstance(imported, Exception), imported
        for request, verdict in zip(asked, verdicts, strict=True):
            assert isinstance(verdict, Admitted | Refused), verdict
            outcomes.add(type(verdict))
            request.refresh_from_db()
        newest = TopologyVersion.objects.latest("number").number
        assert newest == number + 2
        way = core(3) if number % 2 == 0 else core(1)
        for request in PremiumRequest.objects.filter(state="ADMITTED", source_link__name__startswith="Na@"):
            rows = LedgerEntry.objects.filter(request=request, released_at=None, moving_since=None)
            assert rows.filter(link=way).exists(), request
            assert request.evidence["topology"] <= newest
            assert request.reservation.topology == newest or rows.filter(link=way).exists()
        held = LedgerEntry.objects.filter(released_at=None, moving_since=None, link=core(3))
        rate = sum(held.values_list("rate_bps", flat=True))
        over = {each.link for each in overcommitted(Domain.objects.get(), now=timezone.now())}
        assert rate <= 4 * MBIT or core(3) in over, "never more than the share without a word"
        for request in PremiumRequest.objects.filter(state="ADMITTED"):
            LedgerEntry.objects.filter(request=request, released_at=None).update(released_at=timezone.now())
            request.reservation.released_at = timezone.now()
            request.reservation.save()
        PremiumRequest.objects.update(state="COMPLETED")
    assert Admitted in outcomes
