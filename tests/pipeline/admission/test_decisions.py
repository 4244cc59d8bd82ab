"""The cases that the documents and the issue name, by number."""

from __future__ import annotations

from dataclasses import replace
from decimal import Decimal
from ipaddress import ip_network
from typing import Any

import pytest

from provisioning.errors import InvalidInput
from provisioning.pipeline.admission import Admitted, Refused, admit, admit_all, from_json, to_json
from provisioning.pipeline.scheme import Policers
from provisioning.pipeline.timeline import Commitment
from provisioning.pipeline.topology import Direction, Network
from provisioning.pipeline.units import BitRate
from provisioning.selectors.schemes import load_scheme
from tests.pipeline.admission.oracle import charged
from tests.pipeline.networks import (
    GRNET,
    JANET,
    RENATER,
    SURFNET,
    access,
    at,
    core,
    router,
    sixnet,
    sls,
    window,
)

SCHEME = load_scheme("6net")
SHARES_ALONE = replace(SCHEME, policers=Policers())
"""As before a scheme could say anything of policers: what they count decides nothing."""
NETWORK = sixnet()


def _grant(*asked: tuple[str, str, int, float, float | None]) -> list[Commitment]:
    held: list[Commitment] = []
    for index, (source, destination, bps, start, end) in enumerate(asked):
        wanted = sls(source, destination, bps, window(start, end), f"g{index}")
        verdict = admit(NETWORK, SCHEME, wanted, held)
        assert isinstance(verdict, Admitted)
        held += charged(verdict, wanted, NETWORK)
    return held


def _refused(verdict: Admitted | Refused) -> Refused:
    assert isinstance(verdict, Refused)
    return verdict


def test_janet_to_grnet_7_75_mbit_fit_into_the_share_and_one_bit_more_does_not() -> None:
    assert isinstance(admit(NETWORK, SHARES_ALONE, sls(JANET, GRNET, 7_750_000), ()), Admitted)
    refused = _refused(admit(NETWORK, SHARES_ALONE, sls(JANET, GRNET, 7_750_001), ()))
    assert [(r.link, r.direction, r.shortfall_bps) for r in refused.reasons] == [
        (JANET, Direction.IN, 1),
        (GRNET, Direction.OUT, 1),
    ]
    assert refused.counter_offers[0].rate_bps == 7_750_000
    assert len(refused.counter_offers) == 1


def test_of_7_75_mbit_the_policer_passes_what_leaves_room_for_the_headers() -> None:
    """5 % of 155 Mbit/s are frames: 1,500 of 1,504 bytes of them are packets."""
    assert isinstance(admit(NETWORK, SCHEME, sls(JANET, GRNET, 7_729_388), ()), Admitted)
    refused = _refused(admit(NETWORK, SCHEME, sls(JANET, GRNET, 7_729_389), ()))
    (found,) = refused.reasons
    assert (found.code, found.link, found.direction) == ("policer", JANET, Direction.IN)
    assert (found.asked_bps, found.share_bps, found.committed_bps, found.shortfall_bps) == (
        7_750_001, 7_750_000, 0, 1,
    )  # fmt: skip
    assert (found.interval_start, found.interval_end) == (at(0), at(1))
    assert "7.729389 Mbit/s asked in packets of 1500 bytes are 7.750001 Mbit/s with 4 bytes" in found.text
    assert "lets 7.75 Mbit/s through (5 % of BW 155 Mbit/s): 1 bit/s too much" in found.text
    assert [offer.rate_bps for offer in refused.counter_offers] == [7_729_000]


def test_8_mbit_is_refused_with_link_direction_interval_and_shortfall() -> None:
    refused = _refused(admit(NETWORK, SCHEME, sls(JANET, GRNET, 8_000_000, window(0, 2)), ()))
    first = refused.reasons[0]
    assert (first.code, first.link, first.direction) == ("share-exceeded", JANET, Direction.IN)
    assert (first.interval_start, first.interval_end) == (at(0), at(2))
    assert (first.asked_bps, first.share_bps, first.committed_bps, first.shortfall_bps) == (
        8_000_000, 7_750_000, 0, 250_000,
    )  # fmt: skip
    assert "250 kbit/s too much" in first.text
    assert "5 % of 155 Mbit/s" in first.text


def test_five_each_way_both_fit_and_do_not_compete() -> None:
    both = (sls(JANET, GRNET, 5_000_000, identifier="out"), sls(GRNET, JANET, 5_000_000, identifier="back"))
    verdict = admit_all(NETWORK, SCHEME, both, ())
    assert isinstance(verdict, tuple)
    assert [found.path.hops[0].link for found in verdict] == [JANET, GRNET]


def test_renater_to_grnet_20_mbit_is_refused_at_grnet_only() -> None:
    refused = _refused(admit(NETWORK, SCHEME, sls(RENATER, GRNET, 20_000_000), ()))
    assert [(r.link, r.direction) for r in refused.reasons] == [(GRNET, Direction.OUT)]
    assert [seen.fits for seen in refused.evidence] == [True, True, True, True, False]


def test_the_core_share_is_our_choice_and_the_evidence_says_so() -> None:
    verdict = admit(NETWORK, SCHEME, sls(JANET, GRNET, 2_000_000), ())
    edge, middle = verdict.evidence[0], verdict.evidence[1]
    assert (edge.share_percent, edge.share_bps, edge.share_is_choice) == (Decimal(5), 7_750_000, False)
    assert "2.4.1" in edge.share_provenance
    assert (middle.share_percent, middle.share_bps, middle.share_is_choice) == (Decimal(20), 31_000_000, True)


def test_an_e1_link_takes_102400_and_not_one_more() -> None:
    network = Network((router("r1"),), (access("E1", "r1", 2_048_000), access("B", "r1", 10**9, id="B")), ())
    assert isinstance(admit(network, SHARES_ALONE, sls("E1@r1:POS1/0", "B", 102_400), ()), Admitted)
    assert isinstance(admit(network, SHARES_ALONE, sls("E1@r1:POS1/0", "B", 102_401), ()), Refused)


def test_the_share_is_of_the_smaller_of_bw_and_usable() -> None:
    tetra = access("T", "r1", 10**9, usable_bps=850_000_000)
    slow = access("S", "r1", 155_520_000, id="S", bw_bps=155_000_000)
    network = Network((router("r1"),), (tetra, slow), ())
    seen = admit(network, SCHEME, sls(tetra.id, "S", 1), ()).evidence
    assert [found.base_bps for found in seen] == [850_000_000, 155_000_000]
    assert [found.share_bps for found in seen] == [42_500_000, 7_750_000]


def test_equal_rates_that_start_together_count_twice() -> None:
    held = _grant((JANET, GRNET, 3_000_000, 0, 1), (JANET, GRNET, 3_000_000, 0, 1))
    refused = _refused(admit(NETWORK, SCHEME, sls(JANET, GRNET, 3_000_000), held))
    assert refused.reasons[0].committed_bps == 6_000_000
    # 1.75 Mbit/s of the share are free, and 1,734,000 bit/s of the policer: 1,729,388 in packets of 1500 bytes on POS.
    assert refused.counter_offers[0].rate_bps == 1_729_000


def test_a_window_that_only_touches_is_free() -> None:
    held = _grant((JANET, GRNET, 7_729_388, 0, 1), (JANET, GRNET, 7_729_388, 2, 3))
    assert isinstance(admit(NETWORK, SCHEME, sls(JANET, GRNET, 7_729_388, window(1, 2)), held), Admitted)
    assert isinstance(admit(NETWORK, SCHEME, sls(JANET, GRNET, 1, window(0.5, 1.5)), held), Refused)


def test_a_fixed_rate_is_not_said_to_be_a_part_of_the_link() -> None:
    verdict = admit(NETWORK, SCHEME, sls(JANET, GRNET, 1_000_000), ())
    assert isinstance(verdict, Admitted)
    first = verdict.evidence[0]
    assert first.share_of_base == "5 % of 155 Mbit/s"
    assert replace(first, share_percent=None).share_of_base == "a fixed rate, on 155 Mbit/s"


def test_the_offered_window_is_the_first_gap_that_is_long_enough() -> None:
    held = _grant((JANET, GRNET, 7_000_000, 0, 2), (RENATER, GRNET, 7_000_000, 3, 5))
    refused = _refused(admit(NETWORK, SCHEME, sls(JANET, GRNET, 2_000_000, window(0, 2)), held))
    offer = refused.counter_offers[-1]
    assert (offer.rate_bps, offer.start, offer.end) == (2_000_000, at(5), at(7))
    short = _refused(admit(NETWORK, SCHEME, sls(JANET, GRNET, 2_000_000, window(0, 1)), held))
    assert short.counter_offers[-1].start == at(2)


def test_an_open_end_meets_everything_that_is_booked_ahead() -> None:
    held = _grant((JANET, GRNET, 7_000_000, 1000, 1001))
    refused = _refused(admit(NETWORK, SCHEME, sls(JANET, GRNET, 1_000_000, window(0, None)), held))
    assert (refused.reasons[0].interval_start, refused.reasons[0].interval_end) == (at(1000), at(1001))
    assert [offer.start for offer in refused.counter_offers] == [at(0), at(1001), at(0)]
    forever = _grant((JANET, GRNET, 7_000_000, 0, None))
    only = _refused(admit(NETWORK, SCHEME, sls(JANET, GRNET, 1_000_000, window(5, 6)), forever))
    assert [offer.rate_bps for offer in only.counter_offers] == [729_000]  # of 731,333 with headers


def test_a_non_participant_source_is_refused_whatever_is_free() -> None:
    refused = _refused(admit(NETWORK, SCHEME, sls(SURFNET, GRNET, 1), ()))
    assert [(r.code, r.link, r.direction) for r in refused.reasons] == [
        ("non-participant", SURFNET, Direction.IN)
    ]
    assert refused.counter_offers == ()
    assert isinstance(admit(NETWORK, SCHEME, sls(JANET, SURFNET, 1), ()), Admitted)


def test_onboarded_as_filtered_it_may_send() -> None:
    links = tuple(
        replace(link, case="filtered") if link.id == SURFNET else link for link in NETWORK.access_links
    )
    onboarded = replace(NETWORK, access_links=links)
    assert isinstance(admit(onboarded, SCHEME, sls(SURFNET, GRNET, 1_000_000), ()), Admitted)


@pytest.mark.parametrize("name", ["LBE", "less-than-best-effort", "BE"])
def test_lbe_and_be_have_no_admission(name: str) -> None:
    refused = _refused(admit(NETWORK, SCHEME, sls(JANET, GRNET, 1, service_class=name), ()))
    assert [reason.code for reason in refused.reasons] == ["class-without-admission"]
    assert refused.evidence == ()


def test_a_class_the_scheme_lacks_is_a_reason_and_a_link_nobody_knows_is_bad_input() -> None:
    """A class may have been asked for under another scheme; such a request is still read."""
    refused = _refused(admit(NETWORK, SCHEME, sls(JANET, GRNET, 1, service_class="gold"), ()))
    assert [reason.code for reason in refused.reasons] == ["class-unknown"]
    assert "no class 'gold'" in refused.reasons[0].text
    assert (refused.evidence, refused.counter_offers) == ((), ())
    with pytest.raises(InvalidInput):
        admit(NETWORK, SCHEME, sls("X@r:POS1/0", GRNET, 1), ())
    with pytest.raises(InvalidInput):
        admit_all(NETWORK, SCHEME, (), ())


def test_no_destination_and_no_path_are_reasons() -> None:
    assert _refused(admit(NETWORK, SCHEME, sls(JANET, None, 1), ())).reasons[0].code == "destination-needed"
    split = replace(NETWORK, core_links=())
    assert _refused(admit(split, SCHEME, sls(JANET, GRNET, 1), ())).reasons[0].code == "no-path"


def _with_card(name: str, slot: int, engine: str) -> Network:
    routers = tuple(
        replace(found, engines={**found.engines, slot: engine}) if found.name == name else found
        for found in NETWORK.routers
    )
    return replace(NETWORK, routers=routers)


@pytest.mark.parametrize(
    ("name", "slot", "interface", "times"),
    [
        ("uk6", 1, "POS1/0", 1),  # where it enters
        ("uk6", 2, "POS2/0", 1),  # where it leaves the first router
        ("de6", 2, "POS2/0", 1),  # in the middle: in and out by the same card, said once
        ("gr6", 2, "POS2/0", 1),  # where it leaves
        ("de6", 3, "", 0),  # not on the path
        ("se6", 1, "", 0),
    ],
)
def test_ipv6_through_engine_4_plus_is_refused_naming_router_and_slot(
    name: str, slot: int, interface: str, times: int
) -> None:
    verdict = admit(_with_card(name, slot, "4+"), SCHEME, sls(JANET, GRNET, 1), ())
    reasons = verdict.reasons if isinstance(verdict, Refused) else ()
    assert [reason.code for reason in reasons] == ["line-card"] * times
    for reason in reasons:
        assert f"{name} slot {slot} ({interface})" in reason.text
        assert "Engine 4+" in reason.text
    if times:
        assert _refused(verdict).counter_offers == ()


def test_ipv4_passes_an_engine_4_plus_and_other_engines_pass_ipv6() -> None:
    v4 = {
        "source_prefixes": (ip_network("192.0.2.0/25"),),
        "destination_prefixes": (ip_network("192.0.2.128/25"),),
    }
    assert isinstance(admit(_with_card("de6", 2, "4+"), SCHEME, sls(JANET, GRNET, 1, **v4), ()), Admitted)
    assert isinstance(admit(_with_card("de6", 2, "5"), SCHEME, sls(JANET, GRNET, 1), ()), Admitted)


def test_the_rule_about_engines_can_be_given() -> None:
    verdict = admit(
        NETWORK,
        SCHEME,
        sls(JANET, GRNET, 1),
        (),
        engine_rule=lambda engine: "too old" if engine == "3" else None,
    )
    assert {reason.code for reason in _refused(verdict).reasons} == {"line-card"}


def test_both_of_equal_ways_are_charged() -> None:
    routers = tuple(router(name) for name in ("r1", "r2", "r3", "r4"))
    links = (
        core("r1", "r2"),
        core("r2", "r4", port=1),
        core("r1", "r3", port=2),
        core("r3", "r4", port=3, bps=100),
    )
    network = Network(routers, (access("A", "r1"), access("B", "r4")), links)
    refused = _refused(admit(network, SCHEME, sls("A@r1:POS1/0", "B@r4:POS1/0", 21), ()))
    assert [reason.link for reason in refused.reasons] == [links[3].id]


def test_several_that_load_the_same_link_count_in_sum() -> None:
    group = (sls(JANET, GRNET, 4_000_000, identifier="a"), sls(JANET, RENATER, 4_000_000, identifier="b"))
    refused = admit_all(NETWORK, SCHEME, group, ())
    assert isinstance(refused, Refused)
    # 4,000,000 bit/s in packets of 1500 bytes are 4,010,667 with their headers.
    assert [(r.code, r.link, r.direction, r.shortfall_bps) for r in refused.reasons] == [
        ("share-exceeded", JANET, Direction.IN, 250_000),
        ("policer", JANET, Direction.IN, 271_334),
    ]
    assert [offer.rate_bps for offer in refused.counter_offers] == [3_864_000]
    alone = admit_all(NETWORK, SHARES_ALONE, group, ())
    assert isinstance(alone, Refused)
    assert [offer.rate_bps for offer in alone.counter_offers] == [3_875_000]


def test_several_are_offered_the_window_in_which_all_of_them_fit() -> None:
    held = _grant((JANET, GRNET, 7_000_000, 0, 2), (JANET, GRNET, 1_000_000, 2, 4))
    group = (
        sls(JANET, GRNET, 3_500_000, window(0, 1), "a"),
        sls(JANET, RENATER, 3_500_000, window(0, 1), "b"),
    )
    refused = admit_all(NETWORK, SCHEME, group, held)
    assert isinstance(refused, Refused)
    assert [(offer.rate_bps, offer.start) for offer in refused.counter_offers] == [
        (364_000, at(0)),  # both of them in the 731,333 bit/s with headers that the policer has left
        (3_500_000, at(4)),
    ]


@pytest.mark.parametrize("other", [{"bps": 3_000_000}, {"span": window(0, 2)}])
def test_several_that_differ_get_no_offer_because_none_would_be_for_all(other: dict[str, Any]) -> None:
    second = {"bps": 4_000_000, "span": window(0, 1), **other}
    group = (sls(JANET, GRNET, 4_000_000, window(0, 1), "a"), sls(JANET, RENATER, identifier="b", **second))
    refused = admit_all(NETWORK, SCHEME, group, _grant((JANET, GRNET, 2_000_000, 0, 1)))
    assert isinstance(refused, Refused)
    assert refused.counter_offers == ()


def test_the_search_for_a_window_comes_back_to_a_link_it_had_left() -> None:
    """JANET is full in hours 0 and 2, GRNET in hour 1: what one link gives, the other takes."""
    held = _grant(
        (JANET, RENATER, 7_000_000, 0, 1),
        (JANET, RENATER, 7_000_000, 2, 3),
        (RENATER, GRNET, 7_000_000, 1, 2),
    )
    refused = _refused(admit(NETWORK, SCHEME, sls(JANET, GRNET, 1_000_000, window(0, 1)), held))
    assert refused.counter_offers[-1].start == at(3)


def test_pools_do_not_compete() -> None:
    """A second pool on the same links has its own share, also between requests that are judged together."""
    voice = replace(SCHEME.classes[0], name="voice", abbreviation="V", dscp=47, pool="voice")
    pools = {**SCHEME.pools, "voice": replace(SCHEME.pools["ip-premium"], name="voice")}
    trusted = SCHEME.policies["TRUSTED-IN"]
    classes = (replace(trusted.classes[0], services=("voice",)), *trusted.classes)
    policies = {**SCHEME.policies, "TRUSTED-IN": replace(trusted, classes=classes)}
    scheme = replace(SCHEME, classes=(*SCHEME.classes, voice), pools=pools, policies=policies)
    group = tuple(
        sls(JANET, GRNET, 7_000_000, service_class=name, identifier=name) for name in ("voice", "IPP")
    )
    verdict = admit_all(NETWORK, scheme, group, ())
    assert isinstance(verdict, tuple)
    held = [one for admitted, asked in zip(verdict, group, strict=True) for one in charged(admitted, asked)]
    third = _refused(admit(NETWORK, scheme, sls(JANET, GRNET, 1_000_000, service_class="voice"), held))
    assert third.reasons[0].committed_bps == 7_000_000


def test_a_share_that_shrank_under_its_commitments_shows_no_headroom() -> None:
    held = _grant((JANET, GRNET, 7_000_000, 0, 1))
    links = tuple(
        replace(found, bw_bps=100_000_000) if found.id == JANET else found for found in NETWORK.access_links
    )
    refused = _refused(admit(replace(NETWORK, access_links=links), SCHEME, sls(JANET, GRNET, 1), held))
    assert refused.evidence[0].headroom_bps == -2_000_000
    assert refused.evidence[0].left_bps == -2_000_001
    assert [offer.start for offer in refused.counter_offers] == [at(1)]


def test_verdicts_survive_json() -> None:
    for verdict in (
        admit(NETWORK, SCHEME, sls(JANET, GRNET, 1, window(0, None)), ()),
        admit(NETWORK, SCHEME, sls(JANET, GRNET, 10**9, window(0, None)), ()),
        admit(NETWORK, SCHEME, sls(SURFNET, GRNET, 1), ()),
        admit(NETWORK, SCHEME, sls(JANET, GRNET, 1, service_class="LBE"), ()),
    ):
        assert from_json(to_json(verdict)) == verdict


@pytest.mark.parametrize(
    "broken",
    [
        {},
        {"verdict": "maybe", "evidence": []},
        {"verdict": "admitted", "evidence": []},
        {"evidence": [{}], "verdict": "refused"},
    ],
)
def test_what_is_no_verdict_is_refused(broken: dict[str, object]) -> None:
    with pytest.raises(InvalidInput):
        from_json(broken)


def test_sentences_tell_instants_to_the_second() -> None:
    odd = window(0, 2)
    odd = replace(odd, start=odd.start.replace(second=7, microsecond=930311))
    refused = _refused(admit(NETWORK, SCHEME, sls(JANET, GRNET, 8_000_000, odd), ()))
    assert "2026-03-02 12:00:07 UTC to 2026-03-02 14:00:00 UTC: 8 Mbit/s asked" in refused.reasons[0].text
    assert refused.reasons[0].interval_start == odd.start, "the value keeps its fraction"


def test_a_doubtful_line_card_warns_and_refuses_nothing() -> None:
    network = Network(
        routers=(router("a", slot1="3", slot2="2"), router("z", slot1="3", slot2="3")),
        access_links=(access("A", "a"), access("Z", "z")),
        core_links=(core("a", "z"),),
    )
    asked = sls("A@a:POS1/0", "Z@z:POS1/0", 1_000_000)

    def doubt(engine: str) -> str | None:
        return "Engine 2 classifies by precedence only" if engine == "2" else None

    verdict = admit(network, SCHEME, asked, (), engine_doubt=doubt)
    assert isinstance(verdict, Admitted)
    assert verdict.warnings == (
        "a slot 2 (POS2/0): Engine 2 classifies by precedence only; "
        "whether it serves IPv6 Premium is doubtful, so measure it",
    )
    assert from_json(to_json(verdict)) == verdict
    refused = _refused(admit(network, SCHEME, replace(asked, rate=BitRate(10**9)), (), engine_doubt=doubt))
    assert refused.warnings == verdict.warnings
    assert from_json(to_json(refused)) == refused
    old = to_json(verdict)
    del old["warnings"]
    assert isinstance(from_json(old), Admitted), "what was stored before there were warnings is still read"
