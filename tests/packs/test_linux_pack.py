"""The Linux pack applied for real, judged by counters alone: what the shaper sends, the policer never drops."""

from __future__ import annotations

import re
from collections.abc import Iterator

import pytest

from provisioning.pipeline.packs import Edge, Excess, Pack
from provisioning.pipeline.units import BitRate
from tests.packs.edge_and_sender import NREN, OTHER, PAYLOAD, TARGET, UPLINK, Twin, built, within
from tests.pipeline.packs.orders import linux

RATE = 2_000_000  # bit/s: a packet every 6 ms, slow enough for any machine's timers
DEPTH = 6000  # bytes: the bucket that is asked for, four packets
SIZE = PAYLOAD + 48  # of layer 3, with UDP and IPv6
HEADER = 14  # the policer of the twin counts Ethernet
# What the backbone installs for a grant of RATE and DEPTH in packets of SIZE, reckoned here by itself.
POLICED, BUCKET = -(-RATE * (SIZE + HEADER) // SIZE), -(-DEPTH * (SIZE + HEADER) // SIZE)
PACKETS = 100
EF = 46

pytestmark = pytest.mark.timeout(240)


def pack(**changes: object) -> Pack:
    values = {
        "rate": BitRate(RATE),
        "bucket_bytes": DEPTH,
        "min_packet_bytes": SIZE,
        "edge": Edge("GigabitEthernet0/1", Excess.DROPPED, BUCKET),
        "source_prefixes": ("2001:db8:1::/48",),
        "destination_prefixes": ("2001:db8:2::/48",),
    } | changes
    return linux(**values)


@pytest.fixture(scope="module")
def wires(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Twin]:
    with built(tmp_path_factory.mktemp("twin")) as made:
        yield made


@pytest.fixture
def twin(wires: Twin) -> Twin:
    """Nothing of any pack on the NREN's router, a fresh policer at the granted rate, counters at 0."""
    within(NREN, "nft", "flush", "ruleset")
    if "noqueue" not in within(NREN, "tc", "qdisc", "show", "dev", UPLINK, "root"):
        within(NREN, "tc", "qdisc", "del", "dev", UPLINK, "root")
    wires.police(POLICED, BUCKET)
    wires.reset()
    return wires


def test_unshaped_the_policer_drops(twin: Twin) -> None:
    twin.send(PACKETS, dscp=EF)
    passed, dropped = twin.policed()
    assert passed + dropped == PACKETS
    assert passed < PACKETS / 2 < dropped


def test_a_policer_with_the_number_of_layer_3_drops_what_conforms(twin: Twin) -> None:
    """The fault that the conversion is for: at exactly the granted rate a policer without the headers' share loses."""
    twin.pack(pack(queue_packets=1200).text, "up")
    twin.police(RATE, BUCKET)
    twin.send(
        10 * PACKETS, held=8_000_000
    )  # one in a hundred is too much: ten, and four have room in the bucket
    assert twin.policed()[1] > 0


def test_shaped_it_drops_nothing_and_everything_is_marked(twin: Twin) -> None:
    twin.pack(pack().text, "up")
    twin.send(PACKETS)
    assert twin.policed() == (PACKETS, 0)
    assert twin.marks() == {"ef": PACKETS, "be": 0, "other": 0}


def test_the_shaper_is_hardly_slower_than_the_grant(twin: Twin) -> None:
    """It passes a policer of the rate whole and not one of 60 %: so its own rate lies between.

    All packets wait in the shaper's queue at once, so that nobody's scheduling but its own decides when they leave.
    """
    twin.pack(pack(queue_packets=1000).text, "up")
    twin.police(RATE * 60 // 100, BUCKET)
    twin.send(2 * PACKETS, dscp=EF, held=4_000_000)
    passed, dropped = twin.policed()
    assert passed + dropped == 2 * PACKETS
    assert dropped > 0


def test_what_was_not_asked_for_is_neither_marked_nor_shaped(twin: Twin) -> None:
    twin.pack(pack().text, "up")
    twin.send(20, source=OTHER)
    assert twin.marks() == {"ef": 0, "be": 20, "other": 0}
    assert _shaped(twin, pack()) == 0
    twin.send(20)
    assert _shaped(twin, pack()) == 20


def test_a_flow_label_is_part_of_what_is_meant(twin: Twin) -> None:
    labelled = pack(flow_label=0xABCDE)
    twin.pack(labelled.text, "up")
    twin.send(10, label=0xABCDE)
    twin.send(10, label=0xABCDF)
    twin.send(10)
    assert twin.marks() == {"ef": 10, "be": 20, "other": 0}


def test_where_the_backbone_marks_the_pack_shapes_only(twin: Twin) -> None:
    filtered = pack(marks=False)
    twin.pack(filtered.text, "up")
    twin.send(20)
    assert twin.marks() == {"ef": 0, "be": 20, "other": 0}
    assert _shaped(twin, filtered) == 20


def test_twice_up_is_once_and_down_leaves_nothing(twin: Twin) -> None:
    first, second = pack(), pack(number=13, source_prefixes=("2001:db8:9::/48",))
    for one in (first, first, second):
        twin.pack(one.text, "up")
    twin.pack(first.text, "down")
    twin.send(10, source=OTHER)
    assert twin.marks()["ef"] == 10
    assert _shaped(twin, second) == 10
    twin.pack(second.text, "down")
    assert "htb" not in within(NREN, "tc", "qdisc", "show", "dev", UPLINK)
    assert within(NREN, "nft", "list", "ruleset").strip() == ""


def test_check_says_whether_it_is_on_and_up_puts_it_back(twin: Twin) -> None:
    made = pack().text
    status, said = twin.checked(made)
    assert status == 1 and "marking: OFF" in said and "shaping: OFF" in said
    twin.pack(made, "up")
    assert twin.checked(made) == (0, "marking: on\nshaping: on\n")
    within(NREN, "nft", "flush", "ruleset")  # what a firewall's reload begins with
    status, said = twin.checked(made)
    assert status == 1 and "marking: OFF" in said and "shaping: on" in said
    twin.pack(made, "up")
    assert twin.checked(made)[0] == 0
    within(
        NREN,
        "tc",
        "class",
        "replace",
        "dev",
        UPLINK,
        "parent",
        "e610:",
        "classid",
        "e610:99",
        "htb",
        "rate",
        "1mbit",
    )
    within(NREN, "tc", "qdisc", "del", "dev", UPLINK, "root")
    status, said = twin.checked(made)
    assert status == 1 and "marking: on" in said and "shaping: OFF" in said


@pytest.mark.parametrize(
    "half",
    [
        (),
        (("nft", "flush", "ruleset"),),
        (("tc", "qdisc", "del", "dev", UPLINK, "root"),),
        (("tc", "qdisc", "del", "dev", UPLINK, "parent", "e610:c"),),
        (
            ("tc", "qdisc", "del", "dev", UPLINK, "parent", "e610:c"),
            ("tc", "class", "del", "dev", UPLINK, "classid", "e610:c"),
            ("nft", "flush", "ruleset"),
        ),
    ],
)
def test_down_ends_clean_from_wherever_it_begins(twin: Twin, half: tuple[tuple[str, ...], ...]) -> None:
    made = pack().text
    twin.pack(made, "up")
    for words in half:
        within(NREN, *words)
    for _again in range(2):
        twin.pack(made, "down")
        assert "htb" not in within(NREN, "tc", "qdisc", "show", "dev", UPLINK)
        assert within(NREN, "nft", "list", "ruleset").strip() == ""
    assert twin.checked(made)[0] == 1


def test_a_firewall_of_their_own_is_left_alone(twin: Twin) -> None:
    within(NREN, "nft", "add", "table", "inet", "theirs")
    twin.pack(pack().text, "up")
    twin.pack(pack().text, "down")
    assert within(NREN, "nft", "list", "ruleset").strip() == "table inet theirs {\n}"


def test_an_older_shaper_that_counts_headers_is_refused_by_name(twin: Twin) -> None:
    within(NREN, "tc", "qdisc", "add", "dev", UPLINK, "root", "handle", "e610:", "htb")
    with pytest.raises(AssertionError, match="counts the header of layer 2, as packs once did"):
        twin.pack(pack().text, "up")
    assert within(NREN, "nft", "list", "ruleset").strip() == ""
    twin.pack(pack().text, "down")
    assert "htb" not in within(NREN, "tc", "qdisc", "show", "dev", UPLINK)


def test_colours_pass_as_they_are_and_nothing_is_shaped(twin: Twin) -> None:
    made = pack(edge=Edge("FastEthernet0/1", Excess.LET_THROUGH, BUCKET, coloured=True)).text
    twin.pack(made, "up")
    assert twin.checked(made) == (0, "matching: on\n")
    twin.send(PACKETS, dscp=10)
    assert twin.marks() == {"ef": 0, "be": 0, "other": PACKETS}
    assert "htb" not in within(NREN, "tc", "qdisc", "show", "dev", UPLINK)
    twin.pack(made, "down")
    assert within(NREN, "nft", "list", "ruleset").strip() == ""


def test_a_qdisc_of_their_own_is_left_alone(twin: Twin) -> None:
    within(NREN, "tc", "qdisc", "add", "dev", UPLINK, "root", "handle", "77:", "tbf", "rate", "1gbit",
           "burst", "100000", "limit", "1000000")  # fmt: skip
    with pytest.raises(AssertionError, match=r"Exclusivity flag|NLM_F_REPLACE"):
        twin.pack(pack().text, "up")
    assert "qdisc tbf 77: root" in within(NREN, "tc", "qdisc", "show", "dev", UPLINK)
    assert within(NREN, "nft", "list", "ruleset").strip() == ""


def test_both_families_and_overlapping_prefixes_load(twin: Twin) -> None:
    both = pack(
        source_prefixes=("2001:db8:1::/48", "2001:db8:1:2::/64", "192.0.2.0/24", "192.0.2.0/25"),
        destination_prefixes=(f"{TARGET}/128", "198.51.100.0/24"),
        flow_label=1,
    )
    said = twin.pack(both.text, "up")
    assert said == ""
    rules = within(NREN, "nft", "list", "ruleset")
    assert re.search(
        r"ip6 saddr 2001:db8:1::/48 ip6 daddr 2001:db8:2::1 ip6 flowlabel 1 counter .* ip6 dscp set ef", rules
    )
    assert re.search(r"ip saddr 192\.0\.2\.0/24 ip daddr 198\.51\.100\.0/24 counter .* ip dscp set ef", rules)


def _shaped(twin: Twin, made: Pack) -> int:
    """How many packets the pack's own class has sent."""
    found = re.search(r"Sent \d+ bytes (\d+) pkt", twin.pack(made.text, "show"))
    assert found
    return int(found[1])
