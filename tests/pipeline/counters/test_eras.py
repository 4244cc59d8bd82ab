"""``show policy-map interface`` of each era, in the shapes of ios-facts 4.1 with names and numbers of our
own.
"""

from __future__ import annotations

from decimal import Decimal
from pathlib import Path

import pytest

from provisioning.errors import ParseFailure
from provisioning.pipeline import counters
from provisioning.pipeline.counters import ClassCounters, Marking, WredRow

OUTPUTS = Path(__file__).parent / "outputs"


def read(name: str) -> tuple[counters.InterfacePolicyCounters, ...]:
    return counters.parse((OUTPUTS / f"{name}.txt").read_text())


def the_class(policy: counters.InterfacePolicyCounters, name: str) -> ClassCounters:
    (found,) = [each for each in policy.classes if each.name == name]
    return found


def test_trusted_input_of_15_x() -> None:
    (policy,) = read("trusted-15x")
    assert (policy.interface, policy.pvc, policy.direction, policy.policy) == (
        "POS1/0",
        None,
        "input",
        "TRUSTED-IN",
    )
    assert [each.name for each in policy.classes] == ["EF", "LBE", "class-default"]
    ef = the_class(policy, "EF")
    assert (ef.mode, ef.packets, ef.bytes, ef.interval_s) == ("match-all", 9000, 1152000, 300)
    assert (ef.offered_bps, ef.drop_bps) == (8000000, 250000)
    assert ef.matches == ("dscp ef (46)",)
    assert ef.police is not None
    assert (ef.police.cir_percent, ef.police.cir_bps, ef.police.bc_bytes) == (Decimal(5), 7750000, 242187)
    assert (ef.police.conformed.packets, ef.police.conformed.bytes) == (8700, 1113600)
    assert (ef.police.exceeded.packets, ef.police.exceeded.bytes) == (300, 38400)
    assert (ef.police.conformed.actions, ef.police.exceeded.actions) == (("transmit",), ("drop",))
    assert (ef.police.conformed.rate_bps, ef.police.exceeded.rate_bps) == (7750000, 250000)
    assert ef.police.violated is None
    assert the_class(policy, "class-default").marked == (Marking("dscp", "default", 77000),)


def test_nested_output_policy_of_ios_xe() -> None:
    incoming, outgoing = read("nested-xe")
    assert [incoming.interface, outgoing.interface] == ["TenGigabitEthernet0/0/0.200"] * 2
    (default,) = incoming.classes
    (marker,) = default.children
    assert marker.policy == "MARK-CHILD"
    assert marker.classes[0].marked == (Marking("ip precedence", "1"), Marking("qos-group", "4"))
    assert default.police is not None
    assert default.police.violated is not None
    assert default.police.violated.packets == 7
    (shaped,) = outgoing.classes
    assert shaped.queue is not None
    assert (shaped.queue.total_drops, shaped.queue.output_packets, shaped.queue.shape_bps) == (
        12,
        3022,
        50000000,
    )
    (child,) = shaped.children
    assert [each.name for each in child.classes] == ["VIDEO", "VOICE", "class-default"]
    (shared,) = child.priority_queues
    assert (shared.priority, shared.limit, shared.output_bytes) == ("priority level 1", 512, 7890)
    video, voice, rest = child.classes
    assert voice.queue is not None
    assert (voice.queue.priority, voice.queue.priority_exceed_drops) == ("10% (2000 kbps)", 3)
    assert video.matches == ("dscp af41 (34) af42 (36)",)
    assert video.queue is not None
    assert video.queue.bandwidth == "remaining 25%"
    assert video.queue.wred == (
        WredRow("af41", (3000, 262000), (5, 500), (1, 100), 225750, 262500, 10),
        WredRow("af42", (0, 0), (0, 0), (0, 0), 134375, 156250, 10),
    )
    assert video.marked == (Marking("dscp", "cs6"),)
    assert rest.packets == 275144
    assert not rest.children


def test_bytes_only_of_a_catalyst() -> None:
    (policy,) = read("bytes-only")
    metered = the_class(policy, "metered")
    assert (metered.packets, metered.bytes) == (66561, None)
    assert metered.police is not None
    assert (metered.police.conformed.packets, metered.police.conformed.bytes) == (None, 22027975000)
    assert (metered.police.pir_percent, metered.police.pir_bps, metered.police.be_bytes) == (
        Decimal(10),
        4000000000,
        125000000,
    )
    assert metered.police.violated is not None
    assert metered.police.violated.actions == ()
    assert metered.police.exceeded.actions == ("set-dscp-transmit dscp table t1",)
    rated = the_class(policy, "rated")
    assert rated.police is not None
    assert (rated.police.cir_bps, rated.police.bc_bytes) == (500000000, 10240)
    assert rated.marked == (Marking("dscp", "dscp table t1"), Marking("traffic-class", "6"))


def test_12_0_and_12_1() -> None:
    first, second = read("old-12.0")
    assert (first.interface, first.policy, first.direction) == ("Serial4/3", "EDGE", "input")
    old = the_class(first, "GOLD")
    assert old.matches == ("access-group 101",)
    assert old.police is not None
    assert (old.police.cir_bps, old.police.bc_bytes, old.police.be_bytes) == (8000, 1500, 1500)
    assert old.police.violated is not None
    assert (old.police.conformed.actions, old.police.violated.packets) == (("transmit",), 0)
    assert (second.interface, second.pvc, second.direction) == ("ATM1/0.5", "0/100", "output")
    gold = the_class(second, "GOLD")
    assert gold.queue is not None
    assert (gold.queue.output_packets, gold.queue.total_drops) == (19, 4)
    assert gold.queue.wred == (WredRow("0", (9, 900), (2, 200), (1, 100), 20, 40, 10),)


def test_without_any_indentation_a_child_ends_with_its_class_default() -> None:
    text = "".join(f"{line.strip()}\n" for line in (OUTPUTS / "nested-xe.txt").read_text().splitlines())
    assert counters.parse(text) == read("nested-xe")


@pytest.mark.parametrize("name", sorted(path.stem for path in OUTPUTS.glob("*.txt")))
def test_every_line_is_understood_and_line_ends_make_no_difference(name: str) -> None:
    found = read(name)
    assert counters.parse((OUTPUTS / f"{name}.txt").read_text().replace("\n", "\r\n")) == found

    def other(classes: tuple[ClassCounters, ...]) -> list[str]:
        below = [line for each in classes for child in each.children for line in other(child.classes)]
        return [line for each in classes for line in each.other_lines] + below

    assert [line for policy in found for line in other(policy.classes)] == []


def test_control_plane() -> None:
    text = (
        " Control Plane \n\n  Service-policy input: COPP\n\n    Class-map: class-default (match-any) \n"
        "      5 packets, 300 bytes\n      Match: any\n"
    )
    (policy,) = counters.parse(text)
    assert (policy.interface, policy.classes[0].packets) == ("control-plane", 5)


@pytest.mark.parametrize(
    ("header", "interface", "circuit"),
    [
        (" ATM1/0.1: VC 0/100 - ", "ATM1/0.1", "0/100"),
        ("Serial3/2: DLCI 100 -", "Serial3/2", "DLCI 100"),
        ("GigabitEthernet0/0/0: EVC 10", "GigabitEthernet0/0/0", "EVC 10"),
        ("Serial1/0:0", "Serial1/0:0", None),
        ("Port-channel1.20", "Port-channel1.20", None),
        ("FastEthernet 0/1", "FastEthernet0/1", None),
        ("SSS session identifier 5 -", "SSS session identifier 5", None),
    ],
)
def test_every_header_begins_another_place(header: str, interface: str, circuit: str | None) -> None:
    body = "  Service-policy output: P\n    Class-map: A (match-any)\n      1 packets, 2 bytes\n      Match: any\n"
    first, second = counters.parse(f" POS1/0\n{body}\n{header}\n{body}")
    assert (first.interface, first.pvc) == ("POS1/0", None)
    assert (second.interface, second.pvc) == (interface, circuit)
    assert first.classes == second.classes


def test_nothing_printed_is_nothing_bound() -> None:
    assert counters.parse("\r\n") == ()


BAD = {
    "refused": (
        "show policy-map interface POS9/9\n      ^\n% Invalid input detected at '^' marker.\n",
        "refused",
        3,
    ),
    "other output": ("Interface   IP-Address\nPOS1/0   192.0.2.1\n", "no service-policy", 0),
    "cut off": (
        "POS1/0\n Service-policy input: P\n  Class-map: EF (match-all)\n   1 packets, 2 bytes\n"
        "  Class-map: class-default (match-any)\n",
        "cut off",
        5,
    ),
    "beginning missing": ("  Class-map: EF (match-all)\n   1 packets\n", "beginning is missing", 1),
    "child without parent": ("  Service-policy : CHILD\n", "stands in no class", 1),
}


@pytest.mark.parametrize(("text", "reason", "line"), BAD.values(), ids=BAD.keys())
def test_refused_with_line_and_reason(text: str, reason: str, line: int) -> None:
    with pytest.raises(ParseFailure) as caught:
        counters.parse(text)
    assert reason in caught.value.reason
    assert caught.value.line == line


def test_json_is_deterministic_and_plain() -> None:
    data = counters.to_json(read("trusted-15x"))
    assert data[0]["classes"][0]["police"]["cir_percent"] == "5"
    assert data[0]["classes"][0]["police"]["conformed"]["packets"] == 8700
    assert data == counters.to_json(read("trusted-15x"))
