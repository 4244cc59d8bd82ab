"""The matrix of NRENs: what is reserved now and at the peak to come is what the reservations of each pair say."""

from __future__ import annotations

from collections.abc import Callable
from datetime import timedelta

import pytest
from django.test import Client
from django.utils import timezone

from provisioning.models import PremiumRequest
from provisioning.web.reading import pairs
from tests.web.text import page_text
from tests.web.world import World


def granted(sender: int, receiver: int | None) -> list[PremiumRequest]:
    rows = PremiumRequest.objects.filter(
        nren=sender, receiving_nren=receiver, state__in=["ADMITTED", "ACTIVE"], reservation__isnull=False
    )
    return list(rows.select_related("reservation"))


def test_each_pair_has_what_its_reservations_say_at_every_instant(world: World) -> None:
    now = timezone.now() + timedelta(minutes=1)
    found = pairs.matrix_of(now)
    assert found.rows and not found.more
    pairs_with_any = 0
    for _, sender, cells in found.rows:
        for (_, receiver), cell in zip(found.columns, cells, strict=True):
            rows = [row for row in granted(sender, receiver) if row.end is None or row.end > now]
            assert (cell is None) == (not rows)
            if cell is None:
                continue
            pairs_with_any += 1

            def at(moment, rows=rows):  # type: ignore[no-untyped-def]
                return sum(
                    row.reservation.granted_bps
                    for row in rows
                    if row.start <= moment and (row.end is None or row.end > moment)
                )

            assert cell.now_bps == at(now) and cell.count == len(rows)
            assert cell.peak_bps == max(
                at(moment) for moment in [now, *(r.start for r in rows if r.start > now)]
            )
    assert pairs_with_any == 2


def test_a_cell_leads_to_the_requests_of_its_pair(world: World, as_user: Callable[[str], Client]) -> None:
    active = world.requests["active"]
    found = pairs.matrix_of(timezone.now())
    cells = {
        (key, to): cell
        for _, key, row in found.rows
        for (_, to), cell in zip(found.columns, row, strict=True)
    }
    cell = cells[active.nren_id, active.receiving_nren_id]
    assert cell is not None and cell.url in page_text(as_user("nora").get("/nrens/matrix/")).replace(
        "&amp;", "&"
    )
    listed = page_text(as_user("nora").get(cell.url))
    assert f">{active.reference}<" in listed and f">{world.requests['overdue'].reference}<" not in listed


def test_a_matrix_is_bounded_and_says_what_it_leaves_out(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(pairs, "MOST", 2)
    found = pairs.matrix_of(timezone.now())
    assert len(found.rows) <= 2 and found.more == 1
