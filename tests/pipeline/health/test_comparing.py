"""What became worse between two looks, against a judge that is written another way."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from provisioning.pipeline.health import Cpu, Health, Neighbour, Worse, asked, worsened

PROTOCOLS = ("BGP", "IS-IS", "OSPF", "OSPFv3")
NAMES = ("10.0.0.1", "10.0.0.2", "gr6 on PO2/1")
NEIGHBOURS = st.sampled_from(
    (Neighbour("Up", True), Neighbour("Active", False), Neighbour("Idle (Admin)", False, closed=True))
)


@st.composite
def looks(draw: st.DrawFn) -> Health:
    looked = draw(st.frozensets(st.sampled_from(PROTOCOLS)))
    keys = [(protocol, name) for protocol in sorted(looked) for name in NAMES]
    held = draw(st.dictionaries(st.sampled_from(keys), NEIGHBOURS)) if keys else {}
    percents = st.integers(0, 100)
    return Health(
        neighbours=held,
        looked=looked,
        interfaces=draw(st.dictionaries(st.sampled_from(("POS1/0", "POS2/0")), st.booleans())),
        cpu=draw(st.none() | st.builds(Cpu, percents, percents)),
        unseen=tuple(draw(st.lists(st.text(max_size=5), max_size=1))),
    )


def facts(look: Health, limit: int) -> dict[str, str]:
    """Every single thing of a look that can be well, by name: "well", "ill", or "excused"; absent where it was not seen."""
    told: dict[str, str] = {}
    for protocol in PROTOCOLS:
        for name in NAMES:
            if protocol not in look.looked:
                continue
            row = look.neighbours.get((protocol, name))
            told[f"{protocol} neighbour {name}"] = (
                "ill" if row is None else "well" if row.up else "excused" if row.closed else "ill"
            )
    told |= {f"interface {name}": "well" if up else "ill" for name, up in look.interfaces.items()}
    if look.cpu is not None:
        busy = [each for each in (look.cpu.five_seconds, look.cpu.one_minute) if each > limit]
        told["the processor"] = "ill" if busy else "well"
    return told


@given(looks(), looks(), st.integers(1, 100))
def test_worse_is_exactly_what_was_well_and_is_seen_ill(before: Health, after: Health, limit: int) -> None:
    was, now = facts(before, limit), facts(after, limit)
    expected = {name for name in was if was[name] == "well" and now.get(name) == "ill"}
    found = worsened(before, after, cpu_limit=limit)
    assert {each.what for each in found} == expected
    assert len(found) == len(expected)


@given(looks(), st.integers(1, 100))
def test_nothing_is_worse_than_itself(look: Health, limit: int) -> None:
    assert worsened(look, look, cpu_limit=limit) == ()


@given(looks())
def test_a_look_is_kept_whole(look: Health) -> None:
    assert Health.from_json(look.to_json()) == look


def test_the_sentence_names_the_neighbour_and_both_values() -> None:
    before = Health({("BGP", "10.0.0.2"): Neighbour("Established", True)}, frozenset({"BGP"}), {}, Cpu(3, 2))
    after = Health({("BGP", "10.0.0.2"): Neighbour("Active", False)}, frozenset({"BGP"}), {}, Cpu(97, 40))
    found = worsened(before, after, cpu_limit=90)
    assert found[0] == Worse("BGP neighbour 10.0.0.2", "Established", "Active")
    assert [str(each) for each in found] == [
        "BGP neighbour 10.0.0.2 was Established and is Active",
        "the processor was 3 % over five seconds, 2 % over a minute and is 97 % over five seconds, 40 % over a minute, past 90 %",
    ]


def test_a_router_is_asked_about_what_it_runs() -> None:
    assert asked("hostname nl6\n! router bgp 1\ninterface POS1/0\n ip router isis\n").protocols == frozenset()
    families = " address-family vpnv4\n address-family ipv4 multicast\n"
    running = f"router isis BACKBONE\n net 49\nrouter bgp 65000\n{families}ipv6 router ospf 1\n"
    found = asked(running)
    assert found.protocols == {"IS-IS", "BGP", "OSPFv3"}
    assert found.families == ("ipv4 multicast", "vpnv4 unicast")
