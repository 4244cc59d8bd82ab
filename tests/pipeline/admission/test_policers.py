"""What is admitted passes the policer that is installed, whole; against brute force, and against a token bucket that counts.

The oracle adds up frames itself, at every instant that matters: headers stand here as numbers of the standards, a policer is a
token bucket (D4.4.2v2 section 2.2) whose rate is read from what would be put on the router.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from datetime import timedelta
from fractions import Fraction
from ipaddress import ip_network
from typing import Any

import pytest
import yaml
from hypothesis import given, settings
from hypothesis import strategies as st

from provisioning.errors import InvalidInput
from provisioning.pipeline import intent
from provisioning.pipeline.admission import (
    Admitted,
    Offerable,
    Refused,
    admit,
    admit_all,
    basis_from_json,
    basis_of,
    basis_to_json,
    policer_of,
)
from provisioning.pipeline.admission import basis as basis_module
from provisioning.pipeline.admission.levels import levels as real_levels
from provisioning.pipeline.admission.line_cards import ignores_ipv6_class, no_doubt
from provisioning.pipeline.mqc import in_bps
from provisioning.pipeline.platforms import profile
from provisioning.pipeline.scheme import Policers, Scheme, from_mapping
from provisioning.pipeline.sls import Sls
from provisioning.pipeline.timeline import Commitment
from provisioning.pipeline.topology import Network
from provisioning.pipeline.units import BitRate, TimeWindow
from provisioning.selectors.schemes import DIRECTORY, load_scheme
from tests.depth import DEEP
from tests.pipeline.networks import access, at, router, sls, window

HEADERS = {"POS1/0": 4, "ATM1/0.1": 8, "GigabitEthernet1/0": 14, "GigabitEthernet1/0.7": 18, "Tunnel1": 18}
SIXNET = load_scheme("6net")
SHARES_ALONE = replace(SIXNET, policers=Policers())
EXACT = Offerable(least_bps=1, step_bps=1, least_length=timedelta(0))
CASES = 5_000 if DEEP else 300
BW = 200_000
SHARE = 10_000
"""5 % of it, which is where packets of 40 bytes and of 1500 collide."""


def network_of(interface: str, case: str = "trusted") -> Network:
    """One router; what enters by A leaves by B, which is so wide that it never decides."""
    edge = access("A", "r1", BW, id="A", interface=interface, case=case)
    return Network((router("r1"),), (edge, access("B", "r1", 10**9, id="B", interface="POS9/0")), ())


@dataclass(frozen=True)
class Wish:
    """A request by numbers; ``packet`` is its smallest, hours after noon."""

    bps: int
    packet: int
    start: int
    end: int | None

    def as_sls(self, name: str) -> Sls:
        number = int(name.removeprefix("s"))
        return sls(
            "A",
            "B",
            self.bps,
            window(self.start, self.end),
            name,
            min_packet_bytes=self.packet,
            bucket_bytes=4000,
            source_prefixes=(ip_network(f"2001:db8:{number + 1:x}::/48"),),
        )

    def on(self, hour: float) -> bool:
        return self.start <= hour and (self.end is None or hour < self.end)

    def on_the_wire(self, header: int) -> Fraction:
        return Fraction(self.bps * (self.packet + header), self.packet)


def moments(wishes: Iterable[Wish]) -> list[float]:
    edges = {float(each) for wish in wishes for each in (wish.start, wish.end) if each is not None}
    return sorted({edge + by for edge in (*edges, 99.0) for by in (-0.25, 0.0, 0.25)})


def whole_bits(rate: Fraction) -> int:
    """A bit that is begun is a bit."""
    return -(-rate.numerator // rate.denominator)


def fits(asked: Wish, granted: Sequence[Wish], header: int) -> bool:
    """At every instant of it: rates within the share, frames within what the policer lets through."""
    for hour in moments((*granted, asked)):
        live = [wish for wish in (*granted, asked) if wish.on(hour)]
        if asked.on(hour) and (
            sum(wish.bps for wish in live) > SHARE
            or sum(whole_bits(wish.on_the_wire(header)) for wish in live) > SHARE
        ):
            return False
    return True


def left_behind(network: Network, scheme: Scheme, verdict: Admitted, asked: Sls) -> list[Commitment]:
    policer = policer_of(network, scheme, asked)
    return [
        *(
            Commitment(each.link_direction, each.pool, each.rate_bps, asked.window, asked.id)
            for each in verdict.charges
        ),
        *([] if policer is None else [policer.counted(asked)]),
    ]


@st.composite
def wishes(draw: st.DrawFn) -> Wish:
    start = draw(st.integers(0, 6))
    end = draw(st.one_of(st.none(), st.integers(start + 1, 8)))
    return Wish(draw(st.integers(1, 9_000)), draw(st.sampled_from((40, 64, 220, 576, 1500))), start, end)


interfaces = st.sampled_from(sorted(HEADERS))
cases = st.sampled_from(("trusted", "filtered"))
schemes = st.sampled_from(("cap", "grants")).map(lambda policer: replace(SIXNET, policer=policer))


def grant(
    network: Network, scheme: Scheme, asked: Iterable[Wish], header: int
) -> tuple[list[Wish], list[Sls], list[Commitment]]:
    granted: list[Wish] = []
    held: list[Sls] = []
    book: list[Commitment] = []
    for number, wish in enumerate(asked):
        wanted = wish.as_sls(f"s{number}")
        verdict = admit(network, scheme, wanted, book)
        assert isinstance(verdict, Admitted) == fits(wish, granted, header), (wish, granted)
        if isinstance(verdict, Admitted):
            granted.append(wish)
            held.append(wanted)
            book += left_behind(network, scheme, verdict, wanted)
    return granted, held, book


def installed(network: Network, scheme: Scheme, on: Sequence[Sls]) -> int:
    """The rate of the policer that these would have on the router, bit/s: read from what would be put there."""
    wanted = intent.build(network, scheme, "r1", profile("cisco-12400", "12.0(28)S"), on)
    edge = network.access_link("A")
    assert edge is not None
    bound = {each.interface: each.policy for each in wanted.bindings if each.direction == "input"}
    policy = next(each for each in wanted.policy_maps if each.name == bound[edge.interface])
    entry = next(each for each in policy.classes if each.police is not None and "drop" in each.police.exceed)
    rate = in_bps(entry.police.rate, BW) if entry.police is not None else None
    assert rate is not None
    return rate


@settings(max_examples=CASES, deadline=None)
@given(st.lists(wishes(), max_size=7), wishes(), interfaces, cases, schemes)
def test_it_agrees_with_brute_force_and_whatever_is_offered_can_be_taken(
    before: list[Wish], asked: Wish, interface: str, case: str, scheme: Scheme
) -> None:
    network, header = network_of(interface, case), HEADERS[interface]
    granted, held, book = grant(network, scheme, before, header)
    for hour in moments(granted):
        on = [one for one, wish in zip(held, granted, strict=True) if wish.on(hour)]
        if on:
            wire = sum(wish.on_the_wire(header) for wish in granted if wish.on(hour))
            assert wire <= installed(network, scheme, on), "what conforms in the long run is never cut"
    wanted = asked.as_sls("s99")
    verdict = admit(network, scheme, wanted, book, offerable=EXACT)
    assert isinstance(verdict, Admitted) == fits(asked, granted, header)
    if isinstance(verdict, Admitted):
        return
    assert {each.code for each in verdict.reasons} <= {"share-exceeded", "policer"}
    offers = {each.kind: each for each in verdict.counter_offers}
    for offer in offers.values():
        again = replace(wanted, rate=BitRate(offer.rate_bps), window=TimeWindow(offer.start, offer.end))
        assert isinstance(admit(network, scheme, again, book), Admitted), offer
    most = offers["lower-rate"].rate_bps if "lower-rate" in offers else 0
    assert most == 0 or fits(replace(asked, bps=most), granted, header)
    assert not fits(replace(asked, bps=most + 1), granted, header)


@settings(max_examples=CASES, deadline=None)
@given(st.lists(wishes(), max_size=7), wishes(), interfaces, schemes)
def test_every_instant_that_is_too_much_has_its_reason_with_both_numbers(
    before: list[Wish], asked: Wish, interface: str, scheme: Scheme
) -> None:
    network, header = network_of(interface), HEADERS[interface]
    granted, _held, book = grant(network, scheme, before, header)
    verdict = admit(network, scheme, asked.as_sls("s99"), book)
    named = [each for each in getattr(verdict, "reasons", ()) if each.code == "policer"]
    framed = whole_bits(asked.on_the_wire(header))
    for hour in moments((*granted, asked)):
        if not asked.on(hour):
            continue
        beside = sum(whole_bits(wish.on_the_wire(header)) for wish in granted if wish.on(hour))
        there = [
            each
            for each in named
            if each.interval_start <= at(hour) and (each.interval_end is None or at(hour) < each.interval_end)
        ]
        assert len(there) == (framed + beside > SHARE)
        for each in there:
            assert (each.link, each.direction, each.asked_bps, each.share_bps) == ("A", "in", framed, SHARE)
            assert each.committed_bps >= beside
            assert each.shortfall_bps == each.committed_bps + framed - SHARE


class Bucket:
    """A policer: bit/s and bytes, in exact arithmetic."""

    def __init__(self, rate: int, depth: int) -> None:
        self.rate, self.depth, self.tokens, self.at = rate, depth, Fraction(depth), Fraction(0)

    def passes(self, frame: int, now: Fraction) -> bool:
        self.tokens = min(Fraction(self.depth), self.tokens + (now - self.at) * self.rate / 8)
        self.at = now
        if self.tokens < frame:
            return False
        self.tokens -= frame
        return True


def greedy(asked: Sls, wish: Wish, last: int) -> list[tuple[Fraction, int]]:
    """The densest traffic of smallest packets that conforms, (second, bytes): its bucket at once, then one by one at its rate. A
    second stands for an hour.
    """
    end = last if wish.end is None else wish.end
    step, at_once = Fraction(wish.packet * 8, wish.bps), asked.bucket_bytes // wish.packet
    found = [(Fraction(wish.start), wish.packet)] * at_once
    # What is left of the bucket is part of the next packet.
    now = Fraction(wish.start) + step * (1 - Fraction(asked.bucket_bytes % wish.packet, wish.packet))
    while now < end:
        found.append((now, wish.packet))
        now += step
    return found


def lost(
    network: Network, scheme: Scheme, held: Sequence[Sls], granted: Sequence[Wish], header: int
) -> tuple[int, int]:
    """Packets that the installed policer drops, and all: everybody sends as much as conforms."""
    frames = sorted(
        (now, size + header)
        for one, wish in zip(held, granted, strict=True)
        for now, size in greedy(one, wish, 10)
    )
    deep = sum(
        whole_bits(Fraction(one.bucket_bytes * (wish.packet + header), wish.packet))
        for one, wish in zip(held, granted, strict=True)
    )
    bucket = Bucket(installed(network, scheme, held), deep)
    return sum(not bucket.passes(frame, now) for now, frame in frames), len(frames)


@settings(max_examples=max(50, CASES // 4), deadline=None)
@given(st.lists(wishes(), min_size=1, max_size=6), interfaces, cases)
def test_all_traffic_of_all_who_were_admitted_passes_the_installed_policer(
    asked: list[Wish], interface: str, case: str
) -> None:
    """Whoever comes and goes, in whatever order, with all buckets at once."""
    network, header = network_of(interface, case), HEADERS[interface]
    granted, held, _book = grant(network, SIXNET, asked, header)
    if held:
        dropped, sent = lost(network, SIXNET, held, granted, header)
        assert (dropped, sent > 0) == (0, True)


def test_twenty_calls_at_a_full_share_lose_packets_unless_frames_are_counted() -> None:
    """Issue 12, row a: 20 G.711 calls, 220-byte packets, at the granted 1.76 Mbit/s (here a thousandth of it)."""
    edge = access("A", "r1", 35_200, id="A", interface="GigabitEthernet1/0")
    network = replace(
        network_of("GigabitEthernet1/0"), access_links=(edge, network_of("POS1/0").access_links[1])
    )
    calls = Wish(1_760, 220, 0, 400)
    wanted = calls.as_sls("s1")
    assert isinstance(admit(network, SHARES_ALONE, wanted, ()), Admitted)
    refused = admit(network, SIXNET, wanted, (), offerable=EXACT)
    assert isinstance(refused, Refused)
    assert [each.code for each in refused.reasons] == ["policer"]
    (offer,) = refused.counter_offers
    assert offer.rate_bps == 1_654  # 1,760 * 220 / 234

    def share_lost(wish: Wish) -> Fraction:
        rate = in_bps_of(network, SIXNET, wish)
        deep = whole_bits(Fraction(4000 * 234, 220))
        bucket = Bucket(rate, deep)
        frames = [(now, size + 14) for now, size in greedy(wish.as_sls("s1"), wish, 400)]
        return Fraction(sum(not bucket.passes(size, now) for now, size in frames), len(frames))

    assert Fraction(4, 100) < share_lost(calls) < Fraction(7, 100)
    assert share_lost(replace(calls, bps=offer.rate_bps)) == 0


def in_bps_of(network: Network, scheme: Scheme, wish: Wish) -> int:
    wanted = intent.build(network, scheme, "r1", profile("cisco-12400", "12.0(28)S"), [wish.as_sls("s1")])
    policy = next(each for each in wanted.policy_maps if each.name.startswith("TRUSTED-IN"))
    police = policy.classes[0].police
    assert police is not None
    rate = in_bps(police.rate, 35_200)
    assert rate is not None
    return rate


@pytest.mark.parametrize("most", [200, 0])
@settings(max_examples=150, deadline=None)
@given(st.lists(wishes(), max_size=7), st.lists(wishes(), min_size=1, max_size=2), interfaces)
def test_a_record_gives_the_same_verdict_again(
    most: int, before: list[Wish], asked: list[Wish], interface: str
) -> None:
    network, header = network_of(interface), HEADERS[interface]
    _granted, _held, book = grant(network, SIXNET, before, header)
    slss = [wish.as_sls(f"s{90 + number}") for number, wish in enumerate(asked)]
    verdict = admit_all(network, SIXNET, slss, book, now=at(0))
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(basis_module, "levels", lambda *a, **k: real_levels(*a, **k, most=most))
        basis = basis_of(
            network, SIXNET, slss, verdict, book, now=at(0), since=at(0), sharing=(),
            engine_rule=ignores_ipv6_class, engine_doubt=no_doubt,
        )  # fmt: skip
    again = basis_from_json(basis_to_json(basis))
    assert again.verdict(network, SIXNET) == verdict
    # A scheme of which nothing is said of policers decides as it did, whatever is kept beside.
    plain = admit_all(network, SHARES_ALONE, slss, book, now=at(0))
    assert again.verdict(network, SHARES_ALONE) == plain


def _scheme(**said: Any) -> Scheme:
    data = yaml.safe_load((DIRECTORY / "6net.yaml").read_text(encoding="utf-8"))
    data.pop("policers")
    return from_mapping({**data, **said})


def test_a_scheme_says_refuse_warn_or_nothing() -> None:
    network, asked = network_of("POS1/0"), Wish(SHARE, 1500, 0, 1).as_sls("s1")
    silent = _scheme()
    assert silent.policers.cannot_keep == "admit"
    assert isinstance(admit(network, silent, asked, ()), Admitted)
    assert silent.digest() == SHARES_ALONE.digest() != SIXNET.digest()
    warned = admit(network, _scheme(policers={"cannot_keep": "warn", "choice": "people decide"}), asked, ())
    assert isinstance(warned, Admitted)
    (text,) = [each for each in warned.warnings if each.startswith("A in: ")]
    assert "10 kbit/s asked" in text
    assert "are 10.027 kbit/s with 4 bytes of header each" in text
    assert text.endswith("27 bit/s too much: what conforms is dropped (our choice: people decide)")
    with pytest.raises(InvalidInput) as raised:
        _scheme(policers={"cannot_keep": "perhaps", "choice": "x"})
    assert "policers.cannot_keep" in str(raised.value.field)


def test_no_policer_that_drops_nothing_to_judge() -> None:
    """CTI has none, ENST's drops nothing, @IRS's grow with their grants, whatever the scheme would say of them."""
    for name in ("cti", "enst", "irs"):
        found = load_scheme(name)
        assert found.policers == Policers()
        strict = replace(found, policers=Policers("refuse"))
        service = next(each for each in found.classes if each.pool is not None)
        asked = replace(Wish(1000, 40, 0, 1).as_sls("s1"), service_class=service.name)
        assert policer_of(network_of("POS1/0", "filtered"), strict, asked) is None


def test_who_held_more_before_keeps_it_and_may_ask_for_less() -> None:
    """Granted when nobody counted frames; the policer is full. Less, or no more, is no new demand; more is."""
    network = network_of("GigabitEthernet1/0")
    full = Wish(SHARE, 1500, 0, 4).as_sls("s1")
    verdict = admit(network, SHARES_ALONE, full, ())
    assert isinstance(verdict, Admitted)
    own = left_behind(network, SHARES_ALONE, verdict, full)
    for bps, end, fits_now in ((SHARE, 4, True), (SHARE - 1, 3, True), (SHARE, 5, False), (9_000, 5, True)):
        asked = replace(full, rate=BitRate(bps), window=window(0, end))
        found = admit_all(network, SIXNET, (asked,), (), held=own)
        assert isinstance(found, tuple) == fits_now, (bps, end)
        if isinstance(found, Refused):
            (reason,) = found.reasons
            assert (reason.code, reason.interval_start, reason.interval_end) == ("policer", at(4), at(5))
