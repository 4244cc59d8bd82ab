"""What stands behind a pack, under every scheme that ships: what is dropped, how deep the bucket is, and who gives colours."""

from __future__ import annotations

import dataclasses

import pytest

from provisioning.pipeline.packs import Edge, Excess, edge_of
from provisioning.pipeline.sls import Sls
from provisioning.pipeline.topology import AccessLinkValue
from provisioning.selectors.schemes import load_scheme
from tests.pipeline.packs.orders import linux, sls

LINK = AccessLinkValue(
    "JANET@uk6:POS1/0",
    "JANET",
    "uk6",
    "POS1/0",
    None,
    155_000_000,
    155_000_000,
    155_000_000,
    "trusted",
    standing=True,
)


def asked(service: str) -> Sls:
    return sls(service_class=service, bucket_bytes=15_000)


@pytest.mark.parametrize(
    ("scheme", "case", "service", "expected"),
    [
        # 5 % of 155 Mbit/s in the manuals' 4 ms; routers were seen to take 250.
        ("6net", "trusted", "ip-premium", Edge("POS1/0", Excess.DROPPED, 3875, written=False)),
        ("6net", "filtered", "ip-premium", Edge("POS1/0", Excess.DROPPED, 3875, written=False)),
        ("grnet", "trusted", "voip", Edge("POS1/0", Excess.DROPPED, 15_040)),
        ("grnet", "filtered", "virtual-wire", Edge("POS1/0", Excess.DROPPED, 15_040)),
        ("irs", "filtered", "guaranteed", Edge("POS1/0", Excess.DROPPED, 15_040)),
        ("irs", "filtered", "assured", Edge("POS1/0", Excess.LET_THROUGH, 15_040)),
        ("cti", "filtered", "foreground", Edge("POS1/0", Excess.UNPOLICED, 15_040)),
        ("enst", "filtered", "video", Edge("POS1/0", Excess.LET_THROUGH, 15_040, coloured=True)),
    ],
)
def test_every_scheme_says_what_its_edge_does(scheme: str, case: str, service: str, expected: Edge) -> None:
    found = edge_of(load_scheme(scheme), dataclasses.replace(LINK, case=case), asked(service))
    assert found == expected
    assert found.shapes == (service not in ("assured", "video"))


def test_with_grants_and_agreements_the_bucket_is_the_request_s_own() -> None:
    grants = dataclasses.replace(load_scheme("6net"), policer="grants")
    assert edge_of(grants, LINK, asked("ip-premium")) == Edge("POS1/0", Excess.DROPPED, 15_040)
    agreed = dataclasses.replace(LINK, dscp_map=((46, 47),))
    assert edge_of(load_scheme("6net"), agreed, asked("ip-premium")).written


def test_each_pack_says_first_what_becomes_of_the_rate() -> None:
    def first(edge: Edge) -> str:
        return linux(edge=edge, bucket_bytes=15_000).notes[0]

    assert first(Edge("POS1/0", Excess.DROPPED, 15_040)).startswith(
        "Shaped to the granted 5 Mbit/s, counted at layer 3"
    )
    assert first(Edge("POS1/0", Excess.LET_THROUGH, 15_040)).startswith(
        "Not shaped: what you send above the rate"
    )
    coloured = Edge("POS1/0", Excess.LET_THROUGH, 15_040, coloured=True)
    assert first(coloured).startswith("Not shaped and not marked: your packets carry the colours")


def test_a_bucket_that_passes_no_packet_of_the_request_is_said() -> None:
    shallow = Edge("POS1/0", Excess.DROPPED, 3875, written=False)
    made = linux(edge=shallow, max_packet_bytes=4470, bucket_bytes=18_000)
    assert any("passes no packet of 4470 bytes at all" in note for note in made.notes)
    assert any("nobody has written how deep its bucket is" in note for note in made.notes)
