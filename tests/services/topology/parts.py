"""A version that is made in parts: four reservations that move, what is done between two parts, how all of it has to stand."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from inventory.models import Domain
from provisioning.models import LedgerEntry, PremiumRequest, Reservation, StagedVersion
from provisioning.pipeline.admission import Admitted
from provisioning.selectors import topology as versions_known
from provisioning.selectors.schemes import scheme_of
from provisioning.services import audit, decisions
from provisioning.services.topology import deriving, staging
from tests.services.requests.sixnet import hours, noc
from tests.services.topology.diamond import DIAMOND, MBIT, Core, ask, network, put

HIGHER: tuple[Core, ...] = (("a", "b", 100), *DIAMOND[1:])
RATE = MBIT // 2


class Killed(BaseException):
    """What no service catches."""


def four_to_move(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Four reservations of half a megabit from a to d, over b; a file that moves them over c, one in a part."""
    monkeypatch.setattr(staging, "AT_ONCE", 0)
    put(network(tmp_path / "before.yaml", DIAMOND))
    noc("nora")
    for _ in range(4):
        granted("a", "d", RATE)
    return network(tmp_path / "after.yaml", HIGHER)


def granted(source: str, goal: str, rate: int) -> PremiumRequest:
    request = ask(source, goal, rate, start=hours(1), end=hours(30))
    assert isinstance(decisions.admit(actor=noc("nora"), request=request, reason="fits"), Admitted)
    return request


def after_part(monkeypatch: pytest.MonkeyPatch, number: int, deed: Callable[[], object]) -> list[object]:
    """Have `deed` done after this many parts, once; what it said or raised."""
    said: list[object] = []
    parts = []
    bring = staging._bring

    def brings(*args: Any) -> bool:
        if len(parts) == number and not said:
            said.append("begun")
            try:
                said[:] = [deed()]
            except Exception as error:  # noqa: BLE001 - what it raised is what the test looks at
                said[:] = [error]
        parts.append(1)
        return bring(*args)

    monkeypatch.setattr(staging, "_bring", brings)
    return said


def charges() -> set[tuple[int, str, str, int, bool]]:
    """What counts: request, link, direction, bit/s, and whether it is left behind."""
    rows = LedgerEntry.objects.filter(released_at=None)
    return {
        (row.request_id, row.link, row.direction, row.rate_bps, row.moving_since is not None) for row in rows
    }


def settled_on(link: str) -> int:
    """bit/s that are charged there and not left behind."""
    rows = LedgerEntry.objects.filter(released_at=None, moving_since=None, link=link)
    return sum(rows.values_list("rate_bps", flat=True))


def follows() -> None:
    """Everything live is charged to the paths of today; nobody is at it, and the trail holds."""
    assert not StagedVersion.objects.exists()
    known = versions_known.current(Domain.objects.get())
    assert known.number, "the rows are as a version says"
    found = deriving.derive(known.domain, known.network, scheme_of(known.domain))
    assert found.elsewhere == set()
    for held in Reservation.objects.filter(released_at=None):
        assert (held.topology or 0) <= known.number
        leaves = held.request.all_charges.filter(released_at=None, moving_since__isnull=False)
        assert (held.moving_to is not None) == leaves.exists()
    assert not audit.verify_chain().faults
