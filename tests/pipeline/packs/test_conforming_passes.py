"""What conforms to its request passes policer and pack without a drop, for every framing and platform; what does not is cut.

The oracle is written here, in exact arithmetic, from the documents: a policer is a token bucket that counts frames (D4.4.2v2
sections 2.2 and 4.1.2); HTB sends while it is not in debt (tc-htb(8)); `shape average` adds Bc each interval Bc / rate and
holds Bc + Be (Cisco, Policing and Shaping Overview: what finds the bucket full is lost). Headers stand here as numbers of the
standards. Nothing of the conversion is imported: rates and bursts are read from what would be typed.
"""

from __future__ import annotations

import dataclasses
import re
from dataclasses import dataclass
from datetime import UTC, datetime
from fractions import Fraction
from ipaddress import ip_network

from hypothesis import assume, example, given, settings
from hypothesis import strategies as st

from provisioning.pipeline import intent
from provisioning.pipeline.advice import Traffic, advise
from provisioning.pipeline.mqc import Bps, BurstBytes
from provisioning.pipeline.packs import Edge, Excess, PackOrder, edge_of, ios_pack, linux_pack
from provisioning.pipeline.rendering import Renderer
from provisioning.pipeline.sls import Sls
from provisioning.pipeline.units import BitRate, TimeWindow
from provisioning.selectors.templates import shared_ios_environment
from tests.pipeline.packs.orders import TEMPLATES
from tests.pipeline.practice import PLATFORMS, profile_of
from tests.pipeline.properties import PROPERTY
from tests.pipeline.worlds import World

OF_PACKETS = settings(
    PROPERTY, max_examples=2_000 if PROPERTY.max_examples == 1_000 else PROPERTY.max_examples
)
"""A few milliseconds an example: twice as many as of others in `make test`."""
OF_SHAPERS = settings(PROPERTY, max_examples=400 if PROPERTY.max_examples == 1_000 else PROPERTY.max_examples)
"""Thirty milliseconds an example: of a pack before a bucket of another size, and of what does not conform."""

HEADERS = {
    "POS1/0": 4,
    "Serial1/0:1": 4,
    "ATM1/0.1": 8,
    "FastEthernet1/0": 14,
    "GigabitEthernet1/0": 14,
    "GigabitEthernet1/0.100": 18,
    "Tunnel1": 18,  # its framing is not known: at most that
}
LINK = "ALPHA@r1:POS1/0"
WORLD = World(cases=(("ALPHA", "trusted", True),), policer="grants")
NETWORK = WORLD.network("12000")


def network(interface: str):
    links = tuple(
        dataclasses.replace(link, interface=interface, line_rate_bps=10**12, bw_bps=10**12, usable_bps=10**12)
        for link in NETWORK.access_links
        if link.id == LINK
    )
    return dataclasses.replace(NETWORK, access_links=links)


@dataclass
class Policer:
    """A token bucket that counts frames: bit/s and bytes."""

    rate: int
    depth: int

    def __post_init__(self) -> None:
        self.tokens, self.at = Fraction(self.depth), Fraction(0)

    def passes(self, frame: int, now: Fraction) -> bool:
        self.tokens = min(Fraction(self.depth), self.tokens + (now - self.at) * self.rate / 8)
        self.at = now
        if self.tokens < frame:
            return False
        self.tokens -= frame
        return True


def conforming(asked: Sls, wishes: list[tuple[int, int]]) -> list[tuple[Fraction, int]]:
    """When packets arrive that are wished for so many milliseconds apart, each delayed until the request's bucket has it: there
    is no denser traffic that conforms.
    """
    tokens, at, wished, found = Fraction(asked.bucket_bytes), Fraction(0), Fraction(0), []
    for gap_ms, size in wishes:
        wished += Fraction(gap_ms, 1000)
        now = max(wished, at)
        tokens = min(Fraction(asked.bucket_bytes), tokens + (now - at) * asked.rate.bps / 8)
        if tokens < size:
            now += (size - tokens) * 8 / asked.rate.bps
            tokens = Fraction(size)
        tokens -= size
        at = now
        found.append((now, size))
    return found


@dataclass
class Passed:
    """What left a shaper, when and how large; how many its queue had no room for; how long anybody waited."""

    sent: list[tuple[Fraction, int]]
    lost: int
    longest: Fraction


def queued(arrivals: list[tuple[Fraction, int]], limit: int, leave) -> Passed:
    """A queue of `limit` packets in front of `leave(now, size)`, which says when a packet may go that is first from `now` on."""
    sent: list[tuple[Fraction, int]] = []
    lost, longest, free = 0, Fraction(0), Fraction(0)
    for now, size in arrivals:
        if sum(1 for left, _ in sent if left > now) >= limit:
            lost += 1
            continue
        free = leave(max(now, free), size)
        longest = max(longest, free - now)
        sent.append((free, size))
    return Passed(sent, lost, longest)


def htb(rate: int, burst: int):
    """A class of HTB: it may send while its tokens are not below zero, and is then charged the packet."""
    state = {"tokens": Fraction(burst), "at": Fraction(0)}

    def leave(now: Fraction, size: int) -> Fraction:
        tokens = min(Fraction(burst), state["tokens"] + (now - state["at"]) * rate / 8)
        if tokens < 0:
            now += -tokens * 8 / rate
            tokens = Fraction(0)
        state["tokens"], state["at"] = tokens - size, now
        return now

    return leave


def ticking(rate: int, burst_bits: int, excess_bits: int, phase: Fraction, header: int):
    """`shape average` by its intervals: the first tick is at `phase` of one."""
    interval = Fraction(burst_bits, rate)
    state = {"tokens": Fraction(burst_bits + excess_bits), "ticks": 0}

    def fill(ticks: int) -> None:
        added = max(0, ticks - state["ticks"]) * burst_bits
        state["tokens"] = min(Fraction(burst_bits + excess_bits), state["tokens"] + added)
        state["ticks"] = max(ticks, state["ticks"])

    def leave(now: Fraction, size: int) -> Fraction:
        bits = (size + header) * 8
        fill(int((now / interval) + phase))
        while state["tokens"] < bits:
            fill(state["ticks"] + 1)
            now = (state["ticks"] - phase) * interval
        state["tokens"] -= bits
        return now

    return leave


def flowing(rate: int, burst_bits: int, excess_bits: int, header: int):
    """The same shaper where a router reckons its tokens when a packet comes."""
    state = {"tokens": Fraction(burst_bits + excess_bits), "at": Fraction(0)}

    def leave(now: Fraction, size: int) -> Fraction:
        bits = (size + header) * 8
        tokens = min(Fraction(burst_bits + excess_bits), state["tokens"] + (now - state["at"]) * rate)
        if tokens < bits:
            now += (bits - tokens) / rate
            tokens = Fraction(bits)
        state["tokens"], state["at"] = tokens - bits, now
        return now

    return leave


@st.composite
def asked(draw: st.DrawFn, name: str = "PIP-1") -> Sls:
    largest = draw(st.integers(64, 9000))
    smallest = draw(st.one_of(st.just(largest), st.integers(40, largest)))
    return Sls(
        id=name,
        source_link=LINK,
        destination_link="elsewhere",
        service_class="ip-premium",
        rate=BitRate(draw(st.integers(64_000, 400_000_000))),
        window=TimeWindow(datetime(2005, 1, 1, tzinfo=UTC)),
        bucket_bytes=largest + draw(st.integers(1, 12 * largest)),
        max_packet_bytes=largest,
        min_packet_bytes=smallest if draw(st.booleans()) or smallest != largest else None,
        source_prefixes=(ip_network("2001:db8:a::/48"),),
    )


WISHES = st.lists(st.tuples(st.integers(0, 40), st.floats(0, 1)), min_size=1, max_size=40)


def sized(asked: Sls, wishes: list[tuple[int, float]]) -> list[tuple[int, int]]:
    least = asked.max_packet_bytes if asked.min_packet_bytes is None else asked.min_packet_bytes
    return [(gap, least + int(part * (asked.max_packet_bytes - least))) for gap, part in wishes]


def installed(interface: str, *granted: Sls) -> Policer:
    """What the backbone would be told to police these to, all on one link."""
    wanted = intent.build(network(interface), WORLD.scheme(), "r1", profile_of("12000"), granted)
    (police,) = [
        entry.police
        for policy in wanted.policy_maps
        if policy.name == "TRUSTED-IN"
        for entry in policy.classes
        if entry.name == "EF"
    ]
    assert police is not None and isinstance(police.rate, Bps)
    if police.burst is None:
        # Left out where it is just what the router takes by itself: a quarter of a second of the rate (ios-facts N15).
        wide = sum(
            -(-each.bucket_bytes * (least + HEADERS[interface]) // least)
            for each in granted
            for least in [each.min_packet_bytes or each.max_packet_bytes]
        )
        assert max(wide, 1000, -(-police.rate.value // 4000)) == max(1500, police.rate.value // 32)
        return Policer(police.rate.value, max(1500, police.rate.value // 32))
    assert isinstance(police.burst, BurstBytes)
    return Policer(police.rate.value, police.burst.value)


def order(interface: str, one: Sls, kind: str | None = None) -> PackOrder:
    (link,) = network(interface).access_links
    profile = None if kind is None else profile_of(kind)
    advice = advise(one.rate, Traffic.REAL_TIME, one.max_packet_bytes, profile=profile)
    return PackOrder(1, one, 46, True, advice, edge_of(WORLD.scheme(), link, one))


def dropped(policer: Policer, sent: list[tuple[Fraction, int]], header: int) -> int:
    return sum(not policer.passes(size + header, now) for now, size in sent)


def promised(text: str) -> Fraction | None:
    found = re.search(r"waits (\d+) ms at most", re.sub(r"\n[#!] +", " ", text))
    return None if found is None else Fraction(int(found[1]), 1000)


def calls() -> Sls:
    """Twenty G.711 calls: 220 bytes each 20 ms, 1.76 Mbit/s of layer 3."""
    return Sls(
        "PIP-1", LINK, "elsewhere", "ip-premium", BitRate(1_760_000), TimeWindow(datetime(2005, 1, 1, tzinfo=UTC)),
        4400, 220, (ip_network("2001:db8:a::/48"),),
    )  # fmt: skip


IN_STEP: list[tuple[int, float]] = [(20 if n % 20 == 0 else 0, 0.0) for n in range(400)]


@OF_PACKETS
@given(st.sampled_from(sorted(HEADERS)), st.lists(asked(), min_size=1, max_size=3), st.data())
def test_grants_that_conform_pass_the_policer_they_share(
    interface: str, granted: list[Sls], data: st.DataObject
) -> None:
    named = [dataclasses.replace(one, id=f"PIP-{place}") for place, one in enumerate(granted)]
    arrivals = [each for one in named for each in conforming(one, sized(one, data.draw(WISHES)))]
    policer = installed(interface, *named)
    assert dropped(policer, sorted(arrivals), HEADERS[interface]) == 0


@OF_PACKETS
@given(st.sampled_from(sorted(HEADERS)), asked(), WISHES)
@example("GigabitEthernet1/0", calls(), IN_STEP)
@example("POS1/0", calls(), IN_STEP)
def test_a_linux_pack_holds_up_nothing_that_conforms(
    interface: str, one: Sls, wishes: list[tuple[int, float]]
) -> None:
    text = linux_pack(order(interface, one), TEMPLATES).text
    (rate, burst), (limit,) = (
        _one(r"rate (\d+)bit ceil \d+bit burst (\d+)b", text),
        _one(r"pfifo limit (\d+)", text),
    )
    passed = queued(conforming(one, sized(one, wishes)), limit, htb(rate, burst))
    assert passed.lost == 0
    bound = promised(text)
    assert bound is not None and passed.longest <= bound
    assert dropped(installed(interface, one), passed.sent, HEADERS[interface]) == 0


@OF_PACKETS
@given(
    st.sampled_from(sorted(HEADERS)),
    st.sampled_from(sorted(PLATFORMS)),
    asked(),
    WISHES,
    st.fractions(0, 1, max_denominator=16),
    st.booleans(),
)
@example("GigabitEthernet1/0", "7200-hqf", calls(), IN_STEP, Fraction(1, 3), True)
@example("POS1/0", "ios-xe", calls(), IN_STEP, Fraction(0), True)
def test_an_ios_pack_holds_up_nothing_that_conforms(
    interface: str, kind: str, one: Sls, wishes: list[tuple[int, float]], phase: Fraction, ticks: bool
) -> None:
    text = _ios(interface, kind, one)
    arrivals = conforming(one, sized(one, wishes))
    header = HEADERS[interface]
    if "  shape average" in text:
        rate, burst, excess = _one(r"shape average (\d+) (\d+) (\d+)", text)
        limit = int(found[1]) if (found := re.search(r"  queue-limit (\d+)", text)) else 10**9
        leave = ticking(rate, burst, excess, phase, header) if ticks else flowing(rate, burst, excess, header)
        passed = queued(arrivals, limit, leave)
        bound = promised(text)
        assert passed.lost == 0
        assert bound is not None and passed.longest <= bound
        arrivals = passed.sent
    else:
        assert "NOT SHAPED" in text
    assert dropped(installed(interface, one), arrivals, header) == 0


@OF_SHAPERS
@given(
    st.sampled_from(sorted(HEADERS)),
    st.sampled_from(["linux", *sorted(PLATFORMS)]),
    asked(),
    WISHES,
    st.fractions(0, 1),
    st.fractions(0, 1, max_denominator=16),
)
@example(
    "POS1/0",
    "linux",
    dataclasses.replace(calls(), bucket_bytes=26_400),
    [(0, 0.0)] * 120,
    Fraction(0),
    Fraction(0),
)
def test_before_a_bucket_that_is_less_than_the_request_s_what_conforms_waits_and_is_not_lost(
    interface: str, kind: str, one: Sls, wishes: list[tuple[int, float]], deep: Fraction, phase: Fraction
) -> None:
    """The cap of a link has a bucket of its own, of one largest packet at least."""
    header = HEADERS[interface]
    least = one.max_packet_bytes if one.min_packet_bytes is None else one.min_packet_bytes
    # A shaper reckons in bytes of layer 3 and a header for each `least` of them: what passes one largest packet so.
    frame = -(-(one.max_packet_bytes + 1) * (least + header) // least)
    depth = frame + int(deep * one.bucket_bytes)
    behind = dataclasses.replace(
        order(interface, one, None if kind == "linux" else kind),
        edge=Edge(interface, Excess.DROPPED, depth, written=False),
    )
    if kind == "linux":
        text = linux_pack(behind, TEMPLATES).text
        leave = htb(*_one(r"rate (\d+)bit ceil \d+bit burst (\d+)b", text))
        (limit,) = _one(r"pfifo limit (\d+)", text)
    else:
        profile = profile_of(kind)
        text = ios_pack(behind, profile, Renderer(shared_ios_environment(), profile), TEMPLATES).text
        assume("  shape average" in text)
        leave = ticking(*_one(r"shape average (\d+) (\d+) (\d+)", text), phase, header)
        limit = int(found[1]) if (found := re.search(r"  queue-limit (\d+)", text)) else 10**9
    passed = queued(conforming(one, sized(one, wishes)), limit, leave)
    bound = promised(text)
    assert passed.lost == 0
    assert bound is not None and passed.longest <= bound
    cap = Policer(-(-one.rate.bps * (least + header) // least) + 8, depth)
    assert dropped(cap, passed.sent, header) == 0


@OF_SHAPERS
@given(
    st.sampled_from(sorted(HEADERS)),
    st.sampled_from(["linux", *sorted(PLATFORMS)]),
    asked(),
    st.lists(st.floats(0, 1), min_size=40, max_size=80),
    st.fractions(0, 1, max_denominator=16),
)
def test_what_does_not_conform_is_cut_by_the_shaper_and_not_behind_it(
    interface: str, kind: str, one: Sls, parts: list[float], phase: Fraction
) -> None:
    """All at once and far too much: the queue drops, or it waits; the policer has nothing left to drop."""
    one = dataclasses.replace(one, rate=BitRate(one.rate.bps - one.rate.bps % 8))
    header = HEADERS[interface]
    arrivals = [(Fraction(0), size) for _, size in sized(one, [(0, part) for part in parts])]
    if kind == "linux":
        text = linux_pack(order(interface, one), TEMPLATES).text
        leave = htb(*_one(r"rate (\d+)bit ceil \d+bit burst (\d+)b", text))
    else:
        text = _ios(interface, kind, one)
        assume("  shape average" in text)
        leave = ticking(*_one(r"shape average (\d+) (\d+) (\d+)", text), phase, header)
    passed = queued(arrivals, 10**9, leave)
    assert dropped(installed(interface, one), passed.sent, header) == 0


@OF_PACKETS
@given(st.sampled_from(sorted(HEADERS)), asked(), st.lists(st.floats(0, 1), min_size=1, max_size=80))
def test_beyond_the_request_no_more_passes_than_its_share_with_headers(
    interface: str, one: Sls, parts: list[float]
) -> None:
    """In any time: the bucket and the rate, each larger by the headers of the smallest packets, and less than a byte of each."""
    header = HEADERS[interface]
    least = one.max_packet_bytes if one.min_packet_bytes is None else one.min_packet_bytes
    policer, through, now = installed(interface, one), 0, Fraction(0)
    for _, size in sized(one, [(0, part) for part in parts]):
        now += Fraction(size * 4, one.rate.bps)  # twice the granted rate
        through += (size + header) * policer.passes(size + header, now)
    grown = Fraction(least + header, least)
    bucket = max(one.bucket_bytes * grown + 1, 1000, (one.rate.bps * grown + 1) / 4000 + 1)
    assert through <= bucket + (one.rate.bps * grown + 1) * now / 8


def _ios(interface: str, kind: str, one: Sls) -> str:
    profile = profile_of(kind)
    return ios_pack(
        order(interface, one, kind), profile, Renderer(shared_ios_environment(), profile), TEMPLATES
    ).text


def _one(pattern: str, text: str) -> tuple[int, ...]:
    found = re.search(pattern, text)
    assert found, text
    return tuple(int(each) for each in found.groups())
