"""Each line that somebody intends is IOS to its last word, or refused by line, column and reason."""

from __future__ import annotations

from pathlib import Path

import pytest

from provisioning.errors import ParseFailure
from provisioning.pipeline import ios
from provisioning.pipeline.platforms import profile

CONFIGS = sorted((Path(__file__).parent / "configs").glob("*.ios"))
OF_ANOTHER = {"cat6500-12.2"}
"""Catalysts, whose MQC has words of its own; no platform here is one."""
LISTED = "ipv6 access-list L\n {}\n"
IPV4 = "ip access-list extended L\n {}\n"
CLASS = "class-map match-all C\n {}\n"
POLICY = "policy-map P\n class class-default\n  {}\n"
PORT = "interface POS1/0\n {}\n"
ALONE = "{}\n"

# (text, line, its line and column, what the reason says)
MALFORMED = {
    "an address that is a word": (LISTED, "permit ipv6 hsot 2001:DB8:200::5 any", (2, 14), "`hsot`"),
    "a group of five digits": (LISTED, "permit ipv6 host 2001:DB8:20000::5 any", (2, 19), "2001:DB8:20000::5"),
    "the same in a prefix": (LISTED, "permit ipv6 2001:DB8:20000::/48 any", (2, 14), "no IPv6 prefix"),
    "a prefix of 129 bits": (LISTED, "permit ipv6 2001:DB8::/129 any", (2, 14), "a prefix length is 0-128"),
    "a prefix without length": (LISTED, "permit ipv6 2001:DB8:: any", (2, 14), "has no prefix length"),
    "an octet of 300": (IPV4, "permit ip host 10.0.0.300 any", (2, 17), "no IPv4 address"),
    "no wildcard": (IPV4, "permit ip 10.0.0.0 any", (2, 21), "a wildcard of four octets"),
    "a protocol": (IPV4, "permit tpc any any", (2, 9), "is `tcp` meant?"),
    "a port": (IPV4, "permit tcp any any eq 65536", (2, 24), "a port is 0-65535"),
    "a port by a name of no port": (IPV4, "permit tcp any any eq htpt", (2, 24), "`htpt`"),
    "an option": (LISTED, "permit ipv6 any any dcsp ef", (2, 22), "is `dscp` meant?"),
    "a DSCP of an entry": (LISTED, "permit ipv6 any any dscp 64", (2, 27), "within 0..63"),
    "a flow label": (LISTED, "permit ipv6 any any flow-label 1048576", (2, 33), "0-1048575"),
    "a word too many": (LISTED, "permit ipv6 any any any", (2, 22), "an option or the end of the line"),
    "an entry that ends": (LISTED, "permit ipv6 any", (2, 17), "is missing"),
    "an action of an entry": (LISTED, "pemit ipv6 any any", (2, 2), "is `permit` meant?"),
    "a sequence": (LISTED, "sequence 0 permit ipv6 any any", (2, 11), "a sequence number is 1-"),
    "a numbered entry": (ALONE, "access-list 101 permit ip any hst 10.0.0.1", (1, 31), "`hst`"),
    "a standard entry": (ALONE, "access-list 10 permit 10.0.0.300", (1, 23), "no IPv4 address"),
    "the kind of a list": (ALONE, "ip access-list extneded L", (1, 16), "is `extended` meant?"),
    "what is matched": (CLASS, "match dcsp ef", (2, 8), "is `dscp` meant?"),
    "the value of a match": (CLASS, "match dscp 64", (2, 13), "within 0..63"),
    "a name of no DSCP": (CLASS, "match dscp fe", (2, 13), "neither a number nor a name"),
    "nine values": (CLASS, "match dscp 1 2 3 4 5 6 7 8 9", (2, 29), "at most 8 values"),
    "a match of nothing": (CLASS, "match dscp", (2, 12), "is missing"),
    "a match misspelt": (CLASS, "mtach dscp ef", (2, 2), "is `match` meant?"),
    "a number of a list": (CLASS, "match access-group 2700", (2, 21), "1-2699"),
    "the mode of a class": (ALONE, "class-map match-al C", (1, 11), "is `match-all` meant?"),
    "class-default as a class-map": (ALONE, "class-map class-default", (1, 11), "every policy's last class"),
    "what is done to what exceeds": (
        POLICY,
        "police cir percent 5 conform-action transmit exceed-action dropp",
        (3, 62),
        "is `drop` meant?",
    ),
    "a policer below any": (POLICY, "police cir 7999", (3, 14), "8000-100000000000"),
    "a percentage": (POLICY, "police cir percent 101", (3, 22), "a percentage is 1-100"),
    "a burst": (POLICY, "police cir percent 5 bc 2001 ms", (3, 27), "1-2000"),
    "a colour twice": (POLICY, "police 8000 conform-action drop conform-action drop", (3, 35), "`conform-action`"),
    "a colour without an action": (POLICY, "police 8000 conform-action", (3, 29), "is missing"),
    "a colour without a policer": (POLICY, "conform-action transmit", (3, 3), "without `police`"),
    "what WRED goes by": (POLICY, "random-detect dscp-bassed", (3, 17), "is `dscp-based` meant?"),
    "a WRED threshold": (POLICY, "random-detect dscp ef 30 20", (3, 28), "below its minimum 30"),
    "a mark": (POLICY, "set dscp 64", (3, 12), "within 0..63"),
    "a field": (POLICY, "set dcsp 46", (3, 7), "is `dscp` meant?"),
    "a mark that is none": (POLICY, "set dscp", (3, 11), "is missing"),
    "an action": (POLICY, "polce cir percent 5", (3, 3), "is `police` meant?"),
    "a share": (POLICY, "bandwidth percent 0", (3, 21), "1-100"),
    "a shaper": (POLICY, "shape avrage 1000000", (3, 9), "is `average` meant?"),
    "queues": (POLICY, "fair-queue 17", (3, 14), "a power of two"),
    "a word after an action": (POLICY, "fair-queue 32 64", (3, 17), "nothing can follow"),
    "a level": (POLICY, "priority level 3", (3, 18), "1-2"),
    "an action before any class": (ALONE, "policy-map P\n set dscp 0", (2, 2), "before any class"),
    "a class": (ALONE, "policy-map P\n clas X", (2, 2), "is `class` meant?"),
    "a name of 41 characters": (ALONE, f"policy-map {'P' * 41}", (1, 12), "at most 40"),
    "a direction": (PORT, "service-policy outputt X", (2, 17), "is `output` meant?"),
    "no policy": (PORT, "service-policy output", (2, 23), "is missing"),
    "a binding with more": (PORT, "service-policy output X Y", (2, 26), "nothing can follow"),
    "a binding misspelt": (PORT, "service-polcy output X", (2, 2), "is `service-policy` meant?"),
    "a line of no interface": (PORT, "sevice X", (2, 2), "no line of an interface"),
}  # fmt: skip


@pytest.mark.parametrize(("text", "line", "place", "reason"), MALFORMED.values(), ids=MALFORMED.keys())
def test_a_line_that_is_not_ios_to_its_last_word_is_refused_where_it_goes_wrong(text, line, place, reason):
    with pytest.raises(ParseFailure) as caught:
        ios.parse_intended(text.format(line))
    assert (caught.value.line, caught.value.column) == place
    assert reason in caught.value.reason


@pytest.mark.parametrize("text", [CLASS, POLICY, PORT, LISTED])
def test_a_whole_running_config_is_understood_as_strictly_where_it_is_ours(text):
    line = {
        CLASS: "match dcsp ef",
        POLICY: "set dcsp 1",
        PORT: "service-policy outputt X",
        LISTED: "permit x",
    }[text]
    whole = "version 12.4\nhostname r1\nrouter bgp 1\n neighbour 1 who knows\n!\n{}!\nend\n"
    with pytest.raises(ParseFailure) as caught:
        ios.parse_intended(whole.format(text.format(line)))
    assert caught.value.line > 5
    ios.parse_intended(whole.format(""))


@pytest.mark.parametrize(
    "line",
    [
        "permit ipv6 2001:DB8::/32 any",
        "sequence 15 deny tcp host 2001:db8::1 eq www 2001:db8::/32 established dscp ef",
        "permit udp any range 1000 2000 any flow-label 5 log",
        "permit icmp any any echo-request",
        "permit ipv6 any any sequence 20",
        "remark whatever ! is said",
        "evaluate LIST",
    ],
)
def test_entries_of_ipv6_that_are(line):
    ios.parse_intended(LISTED.format(line))


@pytest.mark.parametrize(
    "line",
    [
        "10 permit ip 10.0.0.0 0.0.0.255 any",
        "permit tcp any gt 1023 host 10.0.0.1 eq 22 23 log",
        "deny   ip any any log-input",
        "permit icmp any any 3 4",
        "permit tcp any any match-all +syn -ack ttl eq 255",
        "permit 6 any any precedence critical tos max-throughput",
        "dynamic D timeout 5 permit ip any any",
    ],
)
def test_entries_of_ipv4_that_are(line):
    ios.parse_intended(IPV4.format(line))


@pytest.mark.parametrize(
    "line",
    [
        "police 8000 1500 3000 conform-action transmit exceed-action drop violate-action drop",
        "police cir 10m bc 312500 pir 20m be 625000",
        "police cir percent 20 bc 300 ms pir percent 40 be 400 ms",
        "police rate 1000 pps burst 200 packets",
        "police rate percent 5 peak-rate percent 10",
        "police percent 5 2 ms 1 ms",
        "police cir 128000 bc 8000\n   conform-action transmit\n   exceed-action set-dscp-transmit dscp table T",
        "priority level 1 percent 20",
        "priority 6504 16000",
        "bandwidth remaining ratio 4",
        "shape average 2000000 8000 8000",
        "shape average percent 20 100 ms",
        "random-detect dscp 24 400 ms 500 ms 1",
        "random-detect\n  random-detect precedence 3   776   1292",
        "queue-limit 100 packets",
        "set dscp cos table T",
        "set mpls experimental topmost 5",
        "set dscp tunnel ef",
    ],
)
def test_actions_that_are(line):
    ios.parse_intended(POLICY.format(line))


@pytest.mark.parametrize("file", CONFIGS, ids=lambda file: file.stem)
def test_what_routers_print_is_understood_to_its_last_word(file):
    text = file.read_text(encoding="latin-1")
    if file.stem in OF_ANOTHER:
        with pytest.raises(ParseFailure):
            ios.parse_intended(text)
    else:
        assert ios.parse_intended(text).config == ios.parse(text)


def test_ranges_are_those_of_the_platform():
    text = POLICY.format("police cir 3000000000")
    ios.parse_intended(text)
    ios.parse_intended(text, profile("asr1001-x", "16.9.4"))
    with pytest.raises(ParseFailure, match="8000-2000000000 on cisco-12000"):
        ios.parse_intended(text, profile("cisco-12000"))


def test_a_second_policy_at_one_place_is_refused():
    bound = "interface POS1/0\n service-policy input A\n service-policy output B\n"
    ios.parse_intended(f"{bound}interface pos 1/0\n service-policy input A\n")
    for header in ("", "interface POS1/1\ninterface POS1/0\n", "interface pos1/0\n", "interface POS 1/0\n"):
        with pytest.raises(ParseFailure, match="POS1/0 has A bound input already") as caught:
            ios.parse_intended(f"{bound}{header} service-policy input C\n")
        assert caught.value.column == 23


def test_a_pvc_is_a_place_of_its_own():
    text = "interface ATM1/0.1 point-to-point\n pvc 0/32\n  service-policy input A\n pvc 0/33\n  service-policy input {}\n"
    ios.parse_intended(text.format("B"))
    with pytest.raises(ParseFailure, match=r"ATM1/0.1 pvc 0/33 has B bound input already"):
        ios.parse_intended(text.format("B") + "  service-policy input C\n")


def test_a_class_entered_again_goes_on_where_it_was_and_nothing_between_is_lost():
    text = "policy-map P\n class A\n  police cir percent 5\n class B\n  set dscp 8\n class A\n  set dscp 46\n"
    found = ios.parse_intended(text).config.policy_maps["P"]
    once = "policy-map P\n class A\n  police cir percent 5\n  set dscp 46\n class B\n  set dscp 8\n"
    assert found == ios.parse_intended(once).config.policy_maps["P"]


@pytest.mark.parametrize(
    ("text", "place", "how"),
    [
        ("policy-map P\n class class-default\n  service-policy P\n", (3, 18), "itself"),
        (
            "policy-map P\n class class-default\n  service-policy Q\npolicy-map Q\n class class-default\n  service-policy P\n",
            (6, 18),
            "itself through others",
        ),
        ("class-map match-any C\n match class-map C\n", (2, 18), "itself"),
    ],
)
def test_what_would_contain_itself_is_refused(text, place, how):
    with pytest.raises(ParseFailure, match=how) as caught:
        ios.parse_intended(text).understanding.refuse_circles({})
    assert (caught.value.line, caught.value.column) == place


def test_a_circle_over_what_the_router_holds_is_one_too():
    read = ios.parse_intended("policy-map P\n class class-default\n  service-policy Q\n")
    read.understanding.refuse_circles({("policy-map", "Q"): [("policy-map", "R")]})
    with pytest.raises(ParseFailure, match="itself through others"):
        read.understanding.refuse_circles({("policy-map", "Q"): [("policy-map", "P")]})


def nested(depth: int, names: str = "P{}") -> str:
    """Policies in one another so many levels deep, the outermost first."""
    policies = [f"policy-map {names.format(depth)}\n class class-default\n  set dscp 0\n"]
    for level in range(depth - 1, 0, -1):
        inside = names.format(level + 1)
        policies.append(
            f"policy-map {names.format(level)}\n class class-default\n  service-policy {inside}\n"
        )
    return "".join(reversed(policies))


@pytest.mark.parametrize("depth", [4, 1500])
def test_policies_deeper_in_one_another_than_a_platform_takes_are_refused(depth):
    read = ios.parse_intended(nested(depth))
    with pytest.raises(ParseFailure, match="4 levels of policies deep; there are at most 3"):
        read.understanding.refuse_circles({})
    ios.parse_intended(nested(3)).understanding.refuse_circles({})
    with pytest.raises(ParseFailure, match="3 levels of policies deep; there are at most 2 on cisco-12000"):
        ios.parse_intended(nested(3), profile("cisco-12000")).understanding.refuse_circles({})


@pytest.mark.parametrize("typed", ["pos1/0", "PO1/0", "po1/0", "POS 1/0", "Pos1/0"])
def test_an_interface_is_one_however_it_is_abbreviated(typed):
    (name,) = ios.parse(f"interface {typed}\n ip address 10.0.0.1 255.0.0.0\n").interfaces
    assert name == "POS1/0"


@pytest.mark.parametrize(
    ("typed", "name"),
    [
        ("gi0/1", "GigabitEthernet0/1"),
        ("Fa0/0", "FastEthernet0/0"),
        ("te1/0/1.5", "TenGigabitEthernet1/0/1.5"),
        ("se0/0/0:0", "Serial0/0/0:0"),
        ("Po7", "Port-channel7"),
        ("lo0", "Loopback0"),
        ("Foo1/0", "Foo1/0"),
    ],
)
def test_abbreviations_that_routers_take(typed, name):
    assert list(ios.parse(f"interface {typed}\n no ip address\n").interfaces) == [name]
