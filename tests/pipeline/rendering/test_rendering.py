"""What the templates print is what the parser reads, and nothing that is not one line reaches them."""

from __future__ import annotations

from decimal import Decimal
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from jinja2 import UndefinedError

from provisioning.errors import InvalidInput
from provisioning.pipeline import ios
from provisioning.pipeline.mqc import (
    AccessEntry,
    AccessList,
    Bandwidth,
    Binding,
    Bps,
    BurstBits,
    BurstBytes,
    BurstMs,
    ChildPolicy,
    ClassMap,
    FairQueue,
    Match,
    OpaqueAction,
    Percent,
    Police,
    PolicyClass,
    PolicyMap,
    Priority,
    QueueLimit,
    RandomDetect,
    SetField,
    Shape,
    WredThreshold,
)
from provisioning.pipeline.platforms import Profile
from provisioning.pipeline.rendering import Renderer
from provisioning.selectors.templates import IOS_TEMPLATES, ios_environment, template_digest
from tests.pipeline.practice import KINDS, profile_of
from tests.pipeline.worlds import World, kinds, worlds

RENDERER = Renderer(ios_environment())

ACTIONS = [
    Police(Percent(Decimal(5))),
    Police(Percent(Decimal("2.5")), BurstMs(20), BurstMs(40)),
    Police(Bps(2_000_000), BurstBytes(15000)),
    Police(Bps(2_000_000), BurstBytes(15000), BurstBytes(30000), Bps(4_000_000)),
    Police(Percent(Decimal(1)), exceed=("transmit",)),
    Police(
        Bps(64000), BurstBytes(9000), BurstBytes(18000), exceed=("set-dscp-transmit 0",), violate=("drop",)
    ),
    Police(Percent(Decimal(5)), keyword="rate"),
    Police(Percent(Decimal(5)), BurstMs(20), BurstMs(40), Percent(Decimal(10)), keyword="rate"),
    Police(Bps(2_000_000), BurstBytes(15000), BurstBytes(30000), Bps(4_000_000), keyword="rate"),
    Police(Bps(2_000_000), BurstBytes(15000), exceed=("set-dscp-transmit 14",)),
    Police(
        Percent(Decimal(5)), BurstMs(20), BurstMs(40), Percent(Decimal(10)), exceed=("set-dscp-transmit 12",)
    ),
    Police(Bps(2_000_000), BurstBytes(15000), conform=("set-dscp-transmit 46", "set-qos-transmit 5")),
    Police(
        Bps(2_000_000),
        BurstBytes(15000),
        BurstBytes(30000),
        conform=("set-mpls-exp-imposition-transmit 5", "set-prec-transmit 5"),
        exceed=("set-mpls-exp-imposition-transmit 1", "set-prec-transmit 1"),
    ),
    SetField("dscp", 46),
    SetField("ip dscp", 0),
    SetField("precedence", 5),
    SetField("mpls experimental imposition", 5),
    SetField("qos-group", 99),
    SetField("discard-class", 2),
    SetField("cos", 5),
    Priority(),
    Priority("percent", Decimal(20)),
    Priority("kbps", 6504),
    Priority("level", 1),
    Priority("percent", Decimal(20), level=1),
    Priority("kbps", 6504, 16000),
    Bandwidth("percent", Decimal(10)),
    Bandwidth("kbps", 2000),
    Bandwidth("remaining percent", Decimal(50)),
    Bandwidth("remaining ratio", 7),
    Shape("average", Bps(2_000_000)),
    Shape("average", Bps(2_000_000), BurstBits(8000), BurstBits(0)),
    Shape("average", Percent(Decimal(50)), BurstMs(30), BurstMs(40)),
    Shape("peak", Bps(2_000_000)),
    RandomDetect(),
    RandomDetect("precedence", frozenset({WredThreshold(3, 20, 40), WredThreshold("rsvp", 30, 40, 20)})),
    RandomDetect("discard-class", frozenset({WredThreshold(2, 20, 40)})),
    RandomDetect("dscp", frozenset({WredThreshold(10, 11, 18, 1000), WredThreshold(14, 3, 8, 5)}), weight=7),
    RandomDetect("dscp", frozenset({WredThreshold(0, 400, 500, 1, "ms")}), ecn=True),
    RandomDetect("dscp", other_lines=frozenset({"aggregate"})),
    RandomDetect("dscp"),
    RandomDetect("dscp", frozenset({WredThreshold(46, 30, 50), WredThreshold(0, 55, 75, 20)})),
    QueueLimit(75),
    QueueLimit(30, "ms"),
    FairQueue(),
    FairQueue(16),
    ChildPolicy("INNER"),
    OpaqueAction("compression header ip"),
]
MATCHES = [
    Match("dscp", frozenset({46})),
    Match("dscp", frozenset({8, 46, 0})),
    Match("dscp", frozenset({8}), negated=True),
    Match("ip dscp", frozenset({46})),
    Match("ip precedence", frozenset({5})),
    Match("access-group", frozenset({"nren-auth-ef"})),
    Match("access-group", frozenset({101})),
    Match("any"),
    Match("protocol", frozenset({"rtp"})),
    Match("opaque", frozenset({"packet length min 100"})),
]


def test_appendix_a_token_for_token(sixnet):
    """Three cases, one filtered reservation, and the option that also emits OTHER, on a 12000 (D4.4.2v2 Appendix A)."""
    world = World(
        cases=(("ALPHA", "trusted", True), ("BETA", "non-participant", True), ("GAMMA", "filtered", False)),
        reservations=(("GAMMA", "2001:db8:a::/48", "2001:db8:f::/48", None, 1_000_000),),
        other=True,
    )
    wanted = world.intent("12000")
    printed = RENDERER.document((*wanted.class_maps, *wanted.policy_maps), profile_of("12000"))
    appendix = (Path(__file__).parent / "appendix-a.ios").read_text()

    def tokens(text: str) -> dict[str, list[str]]:
        sections: dict[str, list[str]] = {}
        for line in text.splitlines():
            words = line.split()
            if words in ([], ["!"]):
                continue
            if not line.startswith(" "):
                head = " ".join(words)
                sections[head] = []
                place = head
            elif words[0] == "class":
                place = f"{head} / {words[1]}"
                sections[place] = []
            else:
                sections[place].append(" ".join(words))
        return {name: sorted(lines) for name, lines in sections.items()}

    assert tokens(printed) == tokens(appendix)
    assert [list(policy.classes) for policy in wanted.policy_maps] == [
        list(ios.parse_fragment(appendix).policy_maps[policy.name].classes) for policy in wanted.policy_maps
    ]
    (authorised,) = wanted.access_lists
    assert RENDERER.lines(authorised) == (
        "ipv6 access-list nren-auth-ef",
        " sequence 10 permit ipv6 2001:db8:a::/48 2001:db8:f::/48",
    )


def _named(match: Match) -> str:
    """The same in every process: a set of names has no order of its own."""
    return " ".join([match.kind, *sorted(str(value) for value in match.values), *["not"] * match.negated])


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("action", ACTIONS, ids=lambda action: repr(action)[:60])
def test_an_action_reads_back_as_itself(action, kind):
    policy = PolicyMap("P", (PolicyClass("C", frozenset({action})),))
    profile = profile_of(kind)
    assert ios.parse_fragment(RENDERER.text(policy, profile), profile).policy_maps["P"] == policy


@pytest.mark.parametrize("match", MATCHES, ids=_named)
@pytest.mark.parametrize("mode", ["match-all", "match-any"])
def test_a_match_reads_back_as_itself(match, mode):
    wanted = ClassMap("C", mode, frozenset({match}), description="who knows")
    assert ios.parse_fragment(RENDERER.text(wanted)).class_maps["C"] == wanted


@settings(max_examples=100, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(kind=kinds, world=worlds())
def test_an_intent_reads_back_as_itself(kind, world):
    wanted = world.intent(kind)
    profile = profile_of(kind)
    things = (
        *wanted.objects(),
        *sorted(wanted.bindings, key=lambda bound: (bound.interface, bound.direction)),
    )
    read = ios.parse_fragment(RENDERER.document(things, profile), profile) if things else None
    assert (tuple(read.access_lists.values()) if read else ()) == wanted.access_lists
    assert (tuple(read.class_maps.values()) if read else ()) == wanted.class_maps
    assert (tuple(read.policy_maps.values()) if read else ()) == wanted.policy_maps
    assert (read.bindings if read else frozenset()) == wanted.bindings


def core_policy(kind: str, profile: Profile) -> str:
    world = World(())
    (policy,) = (policy for policy in world.intent(kind).policy_maps if policy.name == "my_policy")
    return RENDERER.text(policy, profile)


@pytest.mark.parametrize(
    ("kind", "ef", "rest"),
    [
        ("12000", ["priority"], ["random-detect dscp-based"]),
        ("7200-12.2T", ["priority percent 20"], ["fair-queue", "random-detect dscp-based"]),
        ("7200-12.3T", ["priority percent 20"], ["fair-queue", "random-detect dscp-based"]),
        ("7200-hqf", ["priority percent 20"], ["random-detect dscp-based"]),
    ],
)
def test_the_core_policy_is_what_the_platform_takes(kind, ef, rest):
    expected = ["policy-map my_policy", "class EF", *ef, "class class-default", *rest]
    assert [line.strip() for line in core_policy(kind, profile_of(kind)).splitlines()] == expected


def test_marking_comes_before_policing():
    entry = PolicyClass("C", frozenset({Police(Percent(Decimal(5))), SetField("dscp", 46)}))
    assert [line.split()[0] for line in RENDERER.class_lines(entry)] == ["set", "police"]


def test_a_pvc_has_its_own_level():
    assert RENDERER.lines(Binding("ATM5/0.1", "0/32", "input", "TRUSTED-IN")) == (
        "interface ATM5/0.1",
        " pvc 0/32",
        "  service-policy input TRUSTED-IN",
    )


@pytest.mark.parametrize(
    "thing",
    [
        OpaqueAction("compression header ip ! reload"),
        SetField("cos", "table X!"),
    ],
)
def test_a_comment_sign_never_reaches_a_template(thing):
    with pytest.raises(InvalidInput):
        RENDERER.action_lines(thing)


@pytest.mark.parametrize("sign", ["\n", "\r", "\x00", "\x07", "\x1b", "\x7f", "?"])
def test_a_description_that_could_leave_its_line_is_refused(sign):
    with pytest.raises(InvalidInput) as caught:
        RENDERER.text(ClassMap("C", "match-all", frozenset(), description=f"for{sign}reload"))
    assert caught.value.field == "description"


def test_an_exclamation_mark_in_a_description_is_text():
    printed = RENDERER.text(ClassMap("C", "match-all", frozenset(), description="!!! hands off !!!"))
    assert printed == "class-map match-all C\n description !!! hands off !!!\n"


@pytest.mark.parametrize("sign", ["\x85", "\u2028", "\u2029", "\x0b", "\x1c"])
def test_other_line_ends_are_blanks_before_they_are_printed(sign):
    printed = RENDERER.text(ClassMap("C", "match-all", frozenset(), description=f"for{sign}reload"))
    assert printed == "class-map match-all C\n description for reload\n"


@pytest.mark.parametrize("name", ["x" * 41, "-starts-with-a-dash", "semi;colon", 'quo"te'])
def test_a_name_no_router_takes_is_refused(name):
    with pytest.raises(InvalidInput) as caught:
        RENDERER.text(ClassMap(name))
    assert caught.value.field == "class-map"


@pytest.mark.parametrize("interface", ["POS1/0;reload", "1/0", "POS"])
def test_an_interface_that_is_none_is_refused(interface):
    with pytest.raises(InvalidInput):
        RENDERER.text(Binding(interface, None, "input", "P"))


def test_an_entry_with_a_control_character_is_refused():
    entries = (AccessEntry(10, "remark ring the\x07bell"),)
    with pytest.raises(InvalidInput):
        RENDERER.text(AccessList("X", 6, entries))


def test_an_undefined_name_in_a_template_is_an_error(tmp_path):
    (tmp_path / "class_map.j2").write_text("class-map {{ mode }} {{ nmae }}\n")
    (tmp_path / "match.j2").write_text("match {{ words }}\n")
    with pytest.raises(UndefinedError):
        Renderer(ios_environment(tmp_path)).text(ClassMap("C"))


def test_a_platform_has_its_own_file_only_where_it_differs(tmp_path):
    (tmp_path / "cisco-7200").mkdir()
    (tmp_path / "class_map.j2").write_text("class-map {{ mode }} {{ name }}\n")
    (tmp_path / "cisco-7200" / "class_map.j2").write_text("class-map {{ name }}\n")
    renderer = Renderer(ios_environment(tmp_path))
    assert renderer.text(ClassMap("C"), profile_of("12000")) == "class-map match-all C\n"
    assert renderer.text(ClassMap("C"), profile_of("7200-hqf")) == "class-map C\n"


def test_the_hash_covers_every_template(tmp_path):
    for source in IOS_TEMPLATES.rglob("*.j2"):
        (tmp_path / source.relative_to(IOS_TEMPLATES)).write_bytes(source.read_bytes())
    before = template_digest(tmp_path)
    assert before == template_digest()
    (tmp_path / "police.j2").write_text((tmp_path / "police.j2").read_text() + " ")
    assert template_digest(tmp_path) != before
    (tmp_path / "police.j2").rename(tmp_path / "policer.j2")
    assert len({before, template_digest(tmp_path)}) == 2


def test_no_templates_have_no_hash(tmp_path):
    with pytest.raises(FileNotFoundError):
        template_digest(tmp_path)
