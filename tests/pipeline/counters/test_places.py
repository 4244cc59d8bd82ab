"""Which interface, policy and class a line of ``show policy-map interface`` belongs to: a place that is not known must
end the place before all the same, and what cannot be placed is refused by name.
"""

from __future__ import annotations

import pytest

from provisioning.errors import ParseFailure
from provisioning.pipeline.counters import InterfacePolicyCounters, parse

BODY = """

  Service-policy output: P

    Class-map: A (match-any)
      1 packets, 2 bytes
      Match: any

"""

HEADERS = {
    "Interface Tunnel1 <--> 192.0.2.9": ("Tunnel1", "192.0.2.9"),
    "cable5/0/0": ("cable5/0/0", None),
    "nve1": ("nve1", None),
    "Dot11Radio0": ("Dot11Radio0", None),
    "vlan 30": ("vlan30", None),
    "ge-wan2/3": ("ge-wan2/3", None),
    "GigabitEthernet3/0.10 (up)": ("GigabitEthernet3/0.10 (up)", None),
    "Service Instance 5": ("Service Instance 5", None),
    "Control Plane Host": ("control-plane host", None),
    "Control plane - slot 2": ("control-plane slot 2", None),
}


@pytest.mark.parametrize("header", HEADERS)
@pytest.mark.parametrize("flat", [False, True], ids=["indented", "flat"])
def test_an_unusual_place_is_never_taken_for_the_one_before(header: str, flat: bool) -> None:
    text = f" POS9/9\n{BODY} {header}\n{BODY}"
    if flat:
        text = "\n".join(line.strip() for line in text.splitlines())
    first, second = parse(text)
    assert (first.interface, first.pvc) == ("POS9/9", None)
    assert (second.interface, second.pvc) == HEADERS[header]
    assert first.classes == second.classes
    assert first.classes[0].other_lines == ()


def test_a_second_policy_of_the_same_place_follows_a_line_that_is_not_known() -> None:
    text = f" POS9/9\n{BODY.rstrip()}\n      something new 7\n\n  Service-policy input: Q\n\n"
    text += "    Class-map: B (match-any)\n      3 packets, 4 bytes\n"
    first, second = parse(text)
    assert (second.interface, second.direction) == ("POS9/9", "input")
    assert first.classes[0].other_lines == ("something new 7",)


def test_a_line_between_a_place_and_its_policy_names_no_other_place() -> None:
    first, second = parse(f" POS9/9\n{BODY} POS9/8\n load interval 30{BODY}")
    assert (first.interface, second.interface) == ("POS9/9", "POS9/8")


def test_prompts_and_the_time_are_no_places() -> None:
    text = (
        "r1#show policy-map interface POS9/9\nLoad for five secs: 1%/0%; one minute: 2%; five minutes: 2%\n"
    )
    text += f"Time source is NTP, 10:00:00.000 UTC Mon Jan 5 2026\n POS9/9\n{BODY}r1#"
    (bound,) = parse(text)
    assert (bound.interface, bound.classes[0].other_lines) == ("POS9/9", ())


def test_a_policy_of_a_type_holds_its_own_classes() -> None:
    text = f" POS9/9\n{BODY}  Service-policy queueing output: Q\n\n    Class-map: C (match-all)\n      30 packets, 3 bytes\n"
    first, second = parse(text)
    assert [each.name for each in first.classes] == ["A"]
    assert (second.policy, second.direction, second.classes[0].packets) == ("Q", "output", 30)


def test_the_manual_writes_the_mode_of_a_class_without_hyphen() -> None:
    text = f" POS9/9\n{BODY}    Class-map: C (match all)\n      30 packets, 3 bytes\n      Match: any\n"
    (bound,) = parse(text)
    assert [(each.name, each.mode, each.packets) for each in bound.classes] == [
        ("A", "match-any", 1),
        ("C", "match-all", 30),
    ]


@pytest.mark.parametrize(
    "line", ["Class-map: C (mat", "Class-map:", "Service-policy output", "Service-policy inspect :"]
)
def test_a_class_or_policy_cut_off_is_refused_by_its_line(line: str) -> None:
    with pytest.raises(ParseFailure, match=r"cannot be read") as caught:
        parse(f" POS9/9\n{BODY}    {line}\n      30 packets, 3 bytes\n")
    assert caught.value.line == 10


INDENTED = """\
        POS9/9

          Service-policy output: P

            Class-map: VOICE (match-any)
              5 packets, 50 bytes
              Match: ip dscp cs4 (32) af41 (34) af42 (36) af43 (38) cs5 (40) ef
        (46)
              Priority: 20% (31000 kbps), burst bytes 775000, b/w exceed drops:
        7
              Exp-weight-constant: 9 (1/512)
              Mean queue depth: 0 packets
              dscp       Transmitted         Random drop      Tail
        drop          Minimum        Maximum     Mark
              cs3        1/10               2/20
        3/30                 24            40  1/10
              class       Transmitted         Random drop      Tail drop
              Minimum        Maximum     Mark
              5           4/40                5/50             6/60
              25            50  1/10
"""


def check(bound: InterfacePolicyCounters) -> None:
    (voice,) = bound.classes
    assert voice.matches == ("ip dscp cs4 (32) af41 (34) af42 (36) af43 (38) cs5 (40) ef (46)",)
    assert voice.queue is not None
    assert voice.queue.priority_exceed_drops == 7
    first, second = voice.queue.wred
    assert (first.transmitted, first.tail_drop, first.minimum, first.denominator) == (
        (1, 10),
        (3, 30),
        24,
        10,
    )
    assert (second.random_drop, second.tail_drop, second.maximum) == ((5, 50), (6, 60), 50)
    assert voice.other_lines == ()


def test_broken_lines_of_a_capture_that_is_indented_as_a_whole() -> None:
    (bound,) = parse(INDENTED)
    check(bound)
    (bound,) = parse("\n" + INDENTED.replace("\n        ", "\n").removeprefix("        "))
    check(bound)


def test_capitals_and_counts_beside_the_heading_of_a_class() -> None:
    (bound,) = parse(
        """\
GigabitEthernet0/1

 Service-Policy output: P

   Class-Map: A (match-all) (1051/1) 12 packets, 3400 bytes
    5 minute offered rate 8 bps, drop rate 0 bps
    Match: any
   Class-Map: B (match-any) 7 packets
    Match: any
   Class-map: C (match-any) something else
    9 packets, 90 bytes
    Match: any
"""
    )
    assert [(each.name, each.packets, each.bytes) for each in bound.classes] == [
        ("A", 12, 3400),
        ("B", 7, None),
        ("C", 9, 90),
    ]
    assert bound.classes[2].other_lines == ("something else",)
