"""What each document's system promises and what it refuses, on its own small network."""

from __future__ import annotations

from dataclasses import replace
from ipaddress import ip_network
from typing import Any

import pytest

from provisioning.errors import InvalidInput
from provisioning.pipeline import intent
from provisioning.pipeline.admission import Admitted, Refused, admit, admit_all, policers_of
from provisioning.pipeline.platforms import profile
from provisioning.pipeline.scheme import Policers, loading
from provisioning.pipeline.scheme.reading import Node
from provisioning.pipeline.scheme.rules import LEAST_TOLD_PERCENT
from provisioning.pipeline.sls import Sls
from provisioning.pipeline.timeline import Commitment
from provisioning.pipeline.topology import CoreLinkValue, Direction, LinkDirection
from provisioning.pipeline.units import BitRate
from provisioning.pipeline.usage.verdicts import LOST_SHARE
from provisioning.selectors.schemes import load_scheme
from tests.pipeline.networks import window
from tests.pipeline.scheme.domains import bundled

NTUA, UPATRAS = "NTUA@ilissos:GigabitEthernet1/0", "UPATRAS@patra:GigabitEthernet1/0.6"
UOI, AEGEAN = "UOI@ioannina:GigabitEthernet1/0", "AEGEAN@syros:FastEthernet2/0"
GEANT = "GEANT@ilissos:POS2/2"
CAMERAS, VIEWERS = "CAMERAS@cti7206:FastEthernet2/0", "VIEWERS@cti3600:FastEthernet2/0"
LAAS, LYON1, LIP6 = (
    "LAAS@toulouse:FastEthernet2/0",
    "LYON1@lyon:FastEthernet2/0",
    "LIP6@paris:FastEthernet2/0",
)
FRIC, FLOUZE = "FRIC@monnaie:FastEthernet2/0", "FLOUZE@franc:FastEthernet2/0"
NETWORKS = {name: bundled(name) for name in ("6net", "grnet", "cti", "irs", "enst")}


def decide(
    scheme: str, service: str, source: str, destination: str | None, bps: int, held: Any = (), **more: Any
) -> Admitted | Refused:
    """What admission says beside `held`: (id, class, source, destination, bit/s) admitted one after the other."""
    network, loaded = NETWORKS[scheme], load_scheme(scheme)
    commitments: list[Commitment] = []
    for each in held:
        wanted = _sls(*each)
        taken = admit(network, loaded, wanted, commitments)
        assert isinstance(taken, Admitted), taken
        commitments += [
            Commitment(charge.link_direction, charge.pool, charge.rate_bps, window(0, 1), each[0])
            for charge in taken.charges
        ]
        commitments += [policer.counted(wanted) for policer in policers_of(network, loaded, [wanted])]
    return admit(network, loaded, _sls("new", service, source, destination, bps, **more), commitments)


def _sls(
    name: str, service: str, source: str, destination: str | None, bps: int, family: int = 6, **more: Any
) -> Sls:
    prefix = "2001:db8:1::/48" if family == 6 else "192.0.2.0/25"
    far = "2001:db8:2::/48" if family == 6 else "192.0.2.128/25"
    return Sls(
        id=name,
        source_link=source,
        destination_link=destination,
        service_class=service,
        rate=BitRate(bps),
        window=window(0, 1),
        bucket_bytes=15000,
        max_packet_bytes=1500,
        source_prefixes=(ip_network(prefix),),
        destination_prefixes=() if destination is None else (ip_network(far),),
        **more,
    )


def codes(verdict: Admitted | Refused) -> list[str]:
    return [reason.code for reason in verdict.reasons] if isinstance(verdict, Refused) else []


def text(verdict: Admitted | Refused) -> str:
    return "; ".join(reason.text for reason in verdict.reasons) if isinstance(verdict, Refused) else ""


@pytest.mark.parametrize(
    ("scheme", "service", "source", "destination", "most"),
    [
        ("6net", "ip-premium", "JANET@uk6:POS1/0", "GARR@it6:Serial2/0", 102_400),
        ("cti", "foreground", CAMERAS, VIEWERS, 1_760_000),
        ("irs", "assured", LAAS, LIP6, 335_000),
        ("irs", "guaranteed", LAAS, LIP6, 167_500),
        ("enst", "video", FRIC, FLOUZE, 1_000_000),
    ],
)
def test_the_share_is_exact(scheme: str, service: str, source: str, destination: str, most: int) -> None:
    """To the bit/s: an E1 has 102,400 of Premium, a Tetra port 20 % of the 850 Mbit/s it really switches."""
    assert isinstance(decide(scheme, service, source, destination, most), Admitted)
    assert set(codes(decide(scheme, service, source, destination, most + 1))) == {"share-exceeded"}


@pytest.mark.parametrize(
    ("scheme", "service", "source", "destination", "share", "most"),
    [
        (
            "6net",
            "ip-premium",
            "JANET@uk6:POS1/0",
            "GRNET@gr6:POS2/0",
            7_750_000,
            7_729_388,
        ),  # POS: 4 of 1504
        ("grnet", "virtual-wire", NTUA, UPATRAS, 170_000_000, 168_428_005),  # Ethernet: 14 of 1514
    ],
)
def test_the_policer_is_exact(
    scheme: str, service: str, source: str, destination: str, share: int, most: int
) -> None:
    """To the bit/s: what a share is where headers take their part of it, and where nobody counts them."""
    assert isinstance(decide(scheme, service, source, destination, most), Admitted)
    assert set(codes(decide(scheme, service, source, destination, most + 1))) == {"policer"}
    shares_alone = replace(load_scheme(scheme), policers=Policers())
    for bps, said in ((share, set()), (share + 1, {"share-exceeded"})):
        asked = _sls("new", service, source, destination, bps)
        assert set(codes(admit(NETWORKS[scheme], shares_alone, asked, ()))) == said


def test_6net_tells_which_end_is_full() -> None:
    """RENATER's link is a gigabit, GRNET's an STM-1: 20 Mbit/s fit at one end only."""
    verdict = decide("6net", "ip-premium", "RENATER@fr6:GigabitEthernet1/0", "GRNET@gr6:POS2/0", 20_000_000)
    assert isinstance(verdict, Refused)
    assert [(reason.link, reason.direction) for reason in verdict.reasons] == [
        ("GRNET@gr6:POS2/0", Direction.OUT)
    ]


def test_6nets_printed_cases() -> None:
    """Of 7.75 Mbit/s of an STM-1 what leaves room for the headers and not 7.76, and 5 Mbit/s each way at once: a direction does
    not load the other.
    """
    there, back = ("JANET@uk6:POS1/0", "GRNET@gr6:POS2/0"), ("GRNET@gr6:POS2/0", "JANET@uk6:POS1/0")
    assert isinstance(decide("6net", "ip-premium", *there, 7_729_000), Admitted)
    assert "10 kbit/s too much" in text(decide("6net", "ip-premium", *there, 7_760_000))
    ways = (_sls("out", "ip-premium", *there, 5_000_000), _sls("home", "ip-premium", *back, 5_000_000))
    assert isinstance(admit_all(NETWORKS["6net"], load_scheme("6net"), ways, ()), tuple)
    twice = (*ways, _sls("again", "ip-premium", *there, 5_000_000))
    assert isinstance(admit_all(NETWORKS["6net"], load_scheme("6net"), twice, ()), Refused)


def test_grnets_three_flavours_have_one_share() -> None:
    held = (
        ("a", "virtual-wire", NTUA, UPATRAS, 100_000_000),
        ("b", "voip", NTUA, None, 10_000_000, 4),
        ("c", "transparent", NTUA, None, 20_000_000),
    )
    assert isinstance(decide("grnet", "virtual-wire", NTUA, UPATRAS, 40_000_000, held), Admitted)
    assert "1 bit/s too much" in text(decide("grnet", "virtual-wire", NTUA, UPATRAS, 40_000_001, held))


def test_voip_is_charged_on_every_core_link_of_a_shortest_path_from_its_source() -> None:
    verdict = decide("grnet", "voip", NTUA, None, 1_000_000, family=4)
    assert isinstance(verdict, Admitted)
    assert [str(charge.link_direction) for charge in verdict.charges] == [
        f"{NTUA} in",
        "ilissos:POS2/0--patra:POS2/0 a-z",
        "ilissos:POS2/1--syros:POS1/0 a-z",
        "patra:POS4/0--ioannina:POS2/0 a-z",
    ]
    assert verdict.path.routers == ("ilissos", "patra", "syros", "ioannina")


def test_voip_with_a_destination_is_refused_and_pointed_to_the_virtual_wire() -> None:
    verdict = decide("grnet", "voip", NTUA, UPATRAS, 1_000_000, family=4)
    assert codes(verdict) == ["destination-given"]
    assert "PIP Virtual Wire is for two known ends" in text(verdict)


def test_transparent_leaves_the_domain_or_is_refused() -> None:
    assert codes(decide("grnet", "transparent", NTUA, UPATRAS, 1_000_000)) == ["ends-inside"]
    verdict = decide("grnet", "transparent", NTUA, None, 1_000_000)
    assert isinstance(verdict, Admitted)
    assert [str(charge.link_direction) for charge in verdict.charges] == [f"{NTUA} in", f"{GEANT} out"]
    far = decide("grnet", "transparent", UPATRAS, None, 1_000_000)
    assert isinstance(far, Admitted)
    assert [str(charge.link_direction) for charge in far.charges] == [
        f"{UPATRAS} in",
        "ilissos:POS2/0--patra:POS2/0 z-a",
        f"{GEANT} out",
    ]


def test_transparent_is_held_to_the_share_of_the_border_link_in_sum() -> None:
    """20 % of a border link of 1.2 Gbit/s are 240 Mbit/s: 170 of NTUA and 70 of UPATRAS, and not a bit/s more."""
    slow = replace(
        NETWORKS["grnet"], peerings=(replace(NETWORKS["grnet"].peerings[0], usable_bps=1_200_000_000),)
    )
    held = (Commitment(LinkDirection(GEANT, Direction.OUT), "premium-ip", 170_000_000, window(0, 1), "a"),)
    fits = admit(slow, load_scheme("grnet"), _sls("b", "transparent", UPATRAS, None, 70_000_000), held)
    assert isinstance(fits, Admitted)
    over = admit(slow, load_scheme("grnet"), _sls("b", "transparent", UPATRAS, None, 70_000_001), held)
    assert isinstance(over, Refused)
    assert [(each.link, each.direction, each.shortfall_bps) for each in over.reasons] == [
        (GEANT, Direction.OUT, 1)
    ]
    border = over.evidence[-1]
    assert (border.share_bps, border.share_is_choice) == (240_000_000, True)
    assert border.served == "marked DSCP 0 by PIP-BORDER-OUT, and nothing queues it"


def test_every_peering_that_may_be_left_by_is_charged_and_one_out_of_reach_is_not() -> None:
    network = NETWORKS["grnet"]
    second = replace(network.peerings[0], id="AMSIX@syros:POS3/0", router="syros", interface="POS3/0")
    alone = replace(second, id="ELSE@far:POS1/0", router="far", interface="POS1/0")
    far = replace(network.routers[0], name="far")
    wider = replace(network, routers=(*network.routers, far), peerings=(*network.peerings, second, alone))
    verdict = admit(wider, load_scheme("grnet"), _sls("x", "transparent", NTUA, None, 1_000_000), ())
    assert isinstance(verdict, Admitted)
    assert [str(charge.link_direction) for charge in verdict.charges] == [
        f"{NTUA} in",
        "ilissos:POS2/1--syros:POS1/0 a-z",
        "AMSIX@syros:POS3/0 out",
        f"{GEANT} out",
    ]


def test_a_tango_at_the_border_is_a_reason_too() -> None:
    network = NETWORKS["grnet"]
    routers = tuple(
        replace(each, engines={**each.engines, 2: "4+"}) if each.name == "ilissos" else each
        for each in network.routers
    )
    asked = _sls("x", "transparent", NTUA, None, 1_000_000)
    verdict = admit(replace(network, routers=routers), load_scheme("grnet"), asked, ())
    assert codes(verdict) == ["line-card"]
    assert "ilissos slot 2 (POS2/2)" in text(verdict)


def test_through_a_tango_the_evidence_says_what_the_plan_says() -> None:
    """Issue 9, case h: the plan binds no output policy on Patra's Tango; the evidence does not say that one queues there."""
    verdict = decide("grnet", "virtual-wire", NTUA, UOI, 1_000_000, family=4)
    served = {f"{each.link} {each.direction}": each.served for each in verdict.evidence}
    assert served["ilissos:POS2/0--patra:POS2/0 a-z"] == "queued by PIP-OUT"
    assert served["patra:POS4/0--ioannina:POS2/0 a-z"] == (
        "nothing queues it first: patra POS4/0 is on a card of Engine 4+, which takes no output policy"
    )
    back = decide("grnet", "virtual-wire", UOI, NTUA, 1_000_000, family=4)
    served = {f"{each.link} {each.direction}": each.served for each in back.evidence}
    assert (
        served["patra:POS4/0--ioannina:POS2/0 z-a"] == "queued by PIP-OUT"
    )  # ioannina sends it, from an ISE


@pytest.mark.parametrize("scheme", sorted(NETWORKS))
def test_whatever_the_evidence_names_is_bound_by_the_plan_at_that_interface(scheme: str) -> None:
    """Over every pair of access links: a policy that evidence names stands on the interface, and where it says that nothing
    queues, none with a queue does.
    """
    network, chosen = NETWORKS[scheme], load_scheme(scheme)
    service = next(each for each in chosen.classes if each.pool is not None and each.ends == "both")
    bound: dict[tuple[str, str], str] = {}
    for router in network.routers:
        intended = intent.build(network, chosen, router.name, profile(router.platform, router.ios), ())
        bound |= {
            (router.name, each.interface): each.policy
            for each in intended.bindings
            if each.direction == "output"
        }
    judged = 0
    for source in network.access_links:
        for destination in network.access_links:
            if source.id == destination.id or chosen.case_policy(source.case).carrying(service.name) is None:
                continue
            verdict = decide(scheme, service.name, source.id, destination.id, 1, family=4)
            for seen in verdict.evidence[1:]:
                link = network.link(seen.link)
                assert link is not None
                place = (
                    (
                        (link.z_router, link.z_interface)
                        if seen.direction is Direction.Z_A
                        else (link.a_router, link.a_interface)
                    )
                    if isinstance(link, CoreLinkValue)
                    else (link.router, link.interface)
                )
                policy = bound.get(place)
                judged += 1
                if seen.served.startswith("nothing"):
                    assert policy is None, seen
                else:
                    assert policy is not None and policy.startswith(seen.served.removeprefix("queued by ")), (
                        seen
                    )
    assert judged or scheme == "irs"


def test_ipv6_premium_through_a_tango_in_the_middle_is_refused_naming_it_and_ipv4_is_not() -> None:
    verdict = decide("grnet", "virtual-wire", NTUA, UOI, 1_000_000)
    assert codes(verdict) == ["line-card"]
    assert "patra slot 4 (POS4/0)" in text(verdict)
    assert isinstance(decide("grnet", "virtual-wire", NTUA, UOI, 1_000_000, family=4), Admitted)


def test_a_7200_on_the_way_is_warned_of_with_table_2_for_ipv6() -> None:
    verdict = decide("grnet", "virtual-wire", NTUA, AEGEAN, 1_000_000)
    assert isinstance(verdict, Admitted)
    assert any("syros" in said and "GRNET table 2" in said for said in verdict.warnings)
    assert decide("grnet", "virtual-wire", NTUA, AEGEAN, 1_000_000, family=4).warnings == ()
    assert decide("grnet", "virtual-wire", NTUA, UPATRAS, 1_000_000).warnings == ()


def test_cti_warns_from_a_megabit_in_all_and_refuses_nothing_for_it() -> None:
    """Table IV: 1 % of the foreground is lost at 1 Mbit/s, 0.047 % at 500 kbit/s."""
    assert decide("cti", "foreground", CAMERAS, VIEWERS, 999_999).warnings == ()
    assert decide("cti", "foreground", CAMERAS, VIEWERS, 1_000_000).warnings != ()
    held = (("a", "foreground", CAMERAS, VIEWERS, 800_000),)
    verdict = decide("cti", "foreground", CAMERAS, VIEWERS, 200_000, held)
    assert isinstance(verdict, Admitted)
    assert any("CTI table IV and figure 8" in said for said in verdict.warnings)


def test_irs_charges_as_at_the_edge_and_gs_on_every_router() -> None:
    assured = decide("irs", "assured", LAAS, LIP6, 335_000)
    assert isinstance(assured, Admitted)
    assert [str(charge.link_direction) for charge in assured.charges] == [f"{LAAS} in"]
    guaranteed = decide("irs", "guaranteed", LAAS, LIP6, 100_000)
    assert isinstance(guaranteed, Admitted)
    assert [str(charge.link_direction) for charge in guaranteed.charges] == [
        f"{LAAS} in",
        "toulouse:Serial1/0--lyon:Serial1/0 a-z",
        "lyon:Serial1/1--paris:Serial1/0 a-z",
        f"{LIP6} out",
    ]
    edge = assured.evidence[0]
    assert (edge.share_percent, edge.share_bps) == (None, 335_000)
    assert "40,000 bytes/s of payload in datagrams of 1024 bytes are 335 kbit/s" in edge.share_provenance


def test_gs_beyond_its_share_on_a_core_router_in_the_middle() -> None:
    """Lyon's own edge is free; what Toulouse holds meets it on the way to Paris."""
    held = (("a", "guaranteed", LAAS, LIP6, 100_000),)
    verdict = decide("irs", "guaranteed", LYON1, LIP6, 100_000, held)
    assert isinstance(verdict, Refused)
    assert "lyon:Serial1/1--paris:Serial1/0" in {reason.link for reason in verdict.reasons}
    assert f"{LYON1} in" not in {f"{reason.link} {reason.direction}" for reason in verdict.reasons}


def test_evidence_says_what_serves_the_traffic_on_each_link() -> None:
    """6NET's access links queue nothing outbound (Appendix A: CORE facing interfaces only); GRNET's do."""
    plain = decide("6net", "ip-premium", "JANET@uk6:POS1/0", "GRNET@gr6:POS2/0", 1)
    assert [seen.served for seen in plain.evidence] == [
        "let in by TRUSTED-IN",
        "queued by my_policy",
        "queued by my_policy",
        "queued by my_policy",
        "nothing queues it outbound",
    ]
    assert decide("grnet", "virtual-wire", NTUA, UPATRAS, 1).evidence[-1].served == "queued by PIP-VLAN-OUT"


def test_every_router_of_irs_queues_at_its_output_the_last_one_too() -> None:
    """@IRS section 2.2.3.2, "Output interface of all routers"; rate control is of the virtual paths alone."""
    verdict = decide("irs", "guaranteed", LAAS, LIP6, 100_000)
    assert [seen.served for seen in verdict.evidence] == [
        "let in by IRS-IN",
        "queued by IRS-OUT",
        "queued by IRS-OUT",
        "queued by IRS-QUEUES",
    ]


def test_so_few_drops_as_are_called_none_are_no_threshold() -> None:
    said = {"rates_in_bps": 100, "others_in_bps": 1000, "choice": "a test", "drops_percent": "0.09"}
    with pytest.raises(InvalidInput, match=r"at least 0\.1") as raised:
        loading._telling(Node(said, "telling"))
    assert raised.value.field == "telling.drops_percent"
    assert loading._telling(Node({**said, "drops_percent": "0.1"})).drops_percent == LEAST_TOLD_PERCENT
    assert float(LEAST_TOLD_PERCENT) / 100 == LOST_SHARE
