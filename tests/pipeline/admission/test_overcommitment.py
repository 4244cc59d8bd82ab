"""Capacity that shrinks under what was granted is found: where, since when, by how much, and whose it is."""

from __future__ import annotations

from dataclasses import replace
from decimal import Decimal

import pytest

from provisioning.pipeline.admission import Admitted, Refused, admit, overcommitments
from provisioning.pipeline.timeline import Commitment
from provisioning.pipeline.topology import Direction, LinkDirection, Network, PeeringValue
from provisioning.selectors.schemes import load_scheme
from provisioning.services.shares import shares_of
from tests.pipeline.admission.oracle import charged
from tests.pipeline.networks import GRNET, JANET, at, sixnet, sls, window

SCHEME = load_scheme("6net")
NETWORK = sixnet()
BORDER = PeeringValue("GEANT@de6:POS9/0", "GEANT", "de6", "POS9/0", None, 10**9, 10**9, 8 * 10**8)


def _granted() -> list[Commitment]:
    """4 Mbit/s from noon on, 3 Mbit/s more in its second hour."""
    held: list[Commitment] = []
    for name, bps, span in (("PIP-1", 4_000_000, window(0, None)), ("PIP-2", 3_000_000, window(1, 2))):
        asked = sls(JANET, GRNET, bps, span, name)
        verdict = admit(NETWORK, SCHEME, asked, held)
        assert isinstance(verdict, Admitted)
        held += charged(verdict, asked)
    return held


def _with_janet_at(bps: int) -> Network:
    return replace(
        NETWORK,
        access_links=tuple(
            replace(link, bw_bps=bps) if link.id == JANET else link for link in NETWORK.access_links
        ),
    )


def test_what_was_admitted_fits_the_network_it_was_admitted_on() -> None:
    assert overcommitments(NETWORK, SCHEME, _granted(), at(0)) == ()


def test_a_lower_bw_names_the_hour_the_excess_and_everybody_in_it() -> None:
    found = overcommitments(_with_janet_at(100_000_000), SCHEME, _granted(), at(0))
    assert [(each.link, each.start, each.end, each.excess_bps, each.sls_ids) for each in found] == [
        (JANET, at(1), at(2), 2_000_000, ("PIP-1", "PIP-2"))
    ]
    assert str(found[0]) == (
        "JANET@uk6:POS1/0 in: PIP-1, PIP-2 hold up to 7 Mbit/s, the share is now 5 Mbit/s: 2 Mbit/s too much "
        "from 2026-03-02 13:00:00 UTC to 2026-03-02 14:00:00 UTC"
    )


def test_exactly_the_share_still_fits_and_one_bit_less_does_not() -> None:
    assert overcommitments(_with_janet_at(140_000_000), SCHEME, _granted(), at(0)) == ()
    assert [
        each.excess_bps for each in overcommitments(_with_janet_at(139_999_980), SCHEME, _granted(), at(0))
    ] == [1]


def test_what_is_over_is_not_counted_and_a_link_that_is_gone_has_no_share() -> None:
    assert overcommitments(_with_janet_at(100_000_000), SCHEME, _granted(), at(2)) == ()
    gone = replace(NETWORK, access_links=tuple(link for link in NETWORK.access_links if link.id != JANET))
    assert {each.link for each in overcommitments(gone, SCHEME, _granted(), at(2))} == {JANET}


def test_a_pool_without_a_core_share_has_none_whoever_asks() -> None:
    """Issue 9, case k: admission took the access share where the watch over shares said 0."""
    pool = SCHEME.pools["ip-premium"]
    edge = replace(SCHEME, pools={"ip-premium": replace(pool, core=None)})
    verdict = admit(NETWORK, edge, sls(JANET, GRNET, 1), ())
    assert isinstance(verdict, Refused)
    inside = [seen for seen in verdict.evidence if NETWORK.core_link(seen.link) is not None]
    assert inside and {(seen.share_bps, seen.share_percent) for seen in inside} == {(0, Decimal(0))}
    assert {reason.link for reason in verdict.reasons} == {seen.link for seen in inside}
    found = overcommitments(NETWORK, edge, _granted(), at(0))
    assert {(each.link, each.share_bps) for each in found} == {(seen.link, 0) for seen in inside}
    noted = dict(shares_of(NETWORK, edge))
    assert {noted[seen.link, "ip-premium"].standing for seen in inside} == {0}


@pytest.mark.parametrize("name", ["6net", "cti", "enst", "grnet", "irs"])
def test_admission_the_watch_and_the_database_have_one_share_of_every_link(name: str) -> None:
    scheme = load_scheme(name)
    links = (*NETWORK.access_links, *NETWORK.core_links, BORDER)
    network = replace(NETWORK, peerings=(BORDER,))
    noted = dict(shares_of(network, scheme))
    assert noted.keys() == {(link.id, pool) for link in links for pool in scheme.pools}
    for (link, pool), allowed in noted.items():
        share_bps = allowed.standing
        load = LinkDirection(link, Direction.OUT)
        for bps, over in ((share_bps, ()), (share_bps + 1, (share_bps,))):
            held = [Commitment(load, pool, bps, window(0, 1), "x")] if bps else []
            found = overcommitments(network, scheme, held, at(0))
            assert tuple(each.share_bps for each in found) == over
