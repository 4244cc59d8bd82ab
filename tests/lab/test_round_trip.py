"""What a router prints, typed into a fresh router of the same train, is the same router (properties)."""

from __future__ import annotations

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from lab.device import Device
from tests.lab.routers import ALL, GSR, OLD_GSR, T2, Clock, device, spec

DSCP = st.integers(0, 63)
RATE = st.sampled_from([8000, 64000, 2_000_000, 10_000_000])
MATCH = st.one_of(
    st.builds("match dscp {}".format, DSCP),
    st.builds("match not dscp {}".format, DSCP),
    st.builds("match ip dscp {} {}".format, DSCP, DSCP),
    st.builds("match ip precedence {}".format, st.integers(0, 7)),
    st.just("match access-group name AUTH"),
    st.just("match any"),
)
ACTION = st.sampled_from(
    ["transmit", "drop", "set-dscp-transmit 0", "set-dscp-transmit 46", "set-prec-transmit 3"]
)
POLICE = st.one_of(
    st.builds("police cir percent {}".format, st.integers(1, 100)),
    st.builds("police cir percent {} bc {} ms".format, st.integers(1, 100), st.integers(1, 2000)),
    st.builds(
        "police cir percent {} conform-action {} exceed-action {}".format, st.integers(1, 100), ACTION, ACTION
    ),
    st.builds("police {}".format, RATE),
    st.builds("police {} 1000000 2000000 conform-action {} exceed-action {}".format, RATE, ACTION, ACTION),
    st.builds("police cir {} bc 1000000 exceed-action {}".format, RATE, ACTION),
    st.builds("police cir {} pir 20000000 violate-action {}".format, RATE, ACTION),
)
SET = st.one_of(
    st.builds("set dscp {}".format, DSCP), st.builds("set ip precedence {}".format, st.integers(0, 7))
)
QUEUE = st.sampled_from(
    [
        "priority percent 5",
        "bandwidth percent 5",
        "shape average 64000",
        "shape average 64000 8000 8000",
        "queue-limit 50",
    ]
)
CLASS = st.lists(st.one_of(POLICE, SET, QUEUE), max_size=3)
ADDRESS = st.sampled_from(["any", "host 2001:db8::1", "2001:db8:AA::5/48", "2001:DB8::/32", "::/0"])
ENTRY = st.builds(
    "{}permit {} {} {}{}".format,
    st.sampled_from(["", "", "sequence 15 ", "sequence 500 "]),
    st.sampled_from(["ipv6", "udp", "tcp"]),
    ADDRESS,
    ADDRESS,
    st.sampled_from(["", " dscp 46", " flow-label 7", " dscp 12 flow-label 9 log"]),
)


@st.composite
def configurations(draw: st.DrawFn) -> list[str]:
    """Lines as a person types them; some will be refused, which is no matter here."""
    lines = ["ipv6 access-list AUTH", *draw(st.lists(ENTRY, max_size=4))]
    names = [f"C{number}" for number in range(draw(st.integers(1, 3)))]
    for name in names:
        lines += [
            f"class-map {draw(st.sampled_from(['match-all', 'match-any']))} {name}",
            *draw(st.lists(MATCH, max_size=3)),
        ]
    for policy in ("P", "Q"):
        lines.append(f"policy-map {policy}")
        for name in [*names, "class-default"]:
            lines += [f"class {name}", *draw(CLASS)]
    for port in ("POS1/0", "GigabitEthernet3/0", "ATM5/0.1"):
        lines += [f"interface {port}", *(["pvc 0/32"] if port.startswith("ATM") else [])]
        lines.append(
            f"service-policy {draw(st.sampled_from(['input', 'output']))} {draw(st.sampled_from('PQ'))}"
        )
    return lines


def printed_again(router: Device, kind: tuple[str, str]) -> Device:
    """A fresh router that boots from what the first prints."""
    fresh = Device(
        spec(kind, startup_config=router.printed(router.body()), engines={"1": "3"}), clock=Clock()
    )
    assert fresh.boot_messages == []
    return fresh


@pytest.mark.parametrize("kind", [*ALL, OLD_GSR], ids=lambda kind: kind[1])
@settings(max_examples=25, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(lines=configurations())
def test_a_printed_router_loads_as_itself(kind: tuple[str, str], lines: list[str]) -> None:
    router = device(kind, engines={"1": "3"})
    session = router.open_session(privilege=15)
    session.execute("configure terminal")
    for line in lines:
        session.execute(line)
    once = printed_again(router, kind)
    assert sorted(once.body().splitlines()) == sorted(router.body().splitlines())
    # class-maps print newest first, so that the second generation stands in the first one's order
    assert printed_again(once, kind).body() == router.body()


@pytest.mark.parametrize("kind", [*ALL, OLD_GSR], ids=lambda kind: kind[1])
def test_n38_an_entry_that_is_there_is_not_there_a_second_time(kind: tuple[str, str]) -> None:
    """ios-facts N38. Found by the property above: twice the same entry, of which a fresh router kept one."""
    router = device(kind)
    session = router.open_session(privilege=15)
    for line in (
        "configure terminal",
        "ipv6 access-list AUTH",
        "sequence 500 permit udp any any dscp 46",
        "permit ipv6 any any dscp 46",
        "sequence 15 permit ipv6 any any dscp 46",
    ):
        session.execute(line)
    assert router.body().count("permit ipv6 any any dscp") == 1
    assert sorted(printed_again(router, kind).body().splitlines()) == sorted(router.body().splitlines())


@pytest.mark.parametrize("kind", [GSR, T2], ids=lambda kind: kind[1])
@settings(max_examples=25, deadline=None)
@given(lines=configurations(), again=st.integers(0, 40))
def test_typing_a_line_twice_changes_nothing(kind: tuple[str, str], lines: list[str], again: int) -> None:
    session = device(kind, engines={"1": "3"}).open_session(privilege=15)
    session.execute("configure terminal")
    for line in lines[: again + 1]:
        session.execute(line)
    before = session.device.body()
    session.execute(lines[: again + 1][-1])
    assert session.device.body() == before
