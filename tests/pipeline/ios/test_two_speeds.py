"""Reading on within a section is reading each of its lines alone: the quick way of the reader and the careful one agree."""

from __future__ import annotations

import random
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from provisioning.errors import ParseFailure
from provisioning.pipeline import ios
from provisioning.pipeline.ios.contents import EnteredAgainError, Finished
from provisioning.pipeline.ios.interfaces import InterfaceSection
from provisioning.pipeline.ios.lines import clean
from provisioning.pipeline.ios.reader import Reader
from provisioning.pipeline.ios.sections import Section
from provisioning.pipeline.mqc import RunningConfig
from tests.pipeline.properties import PROPERTY

OFTEN = settings(PROPERTY, max_examples=max(25, PROPERTY.max_examples // 4))
CONFIGS = Path(__file__).parent / "configs"
Sections = dict[str, Finished] | None


class Careful(Reader):
    """Asks every question of every line."""

    def _deeper(self, index: int, section: Section) -> int:
        return index


def outcome(read: Callable[[], RunningConfig]) -> object:
    """What is made of a text: the model with its numbers, or the line and the reason of its refusal."""
    try:
        found = read()
    except ParseFailure as refusal:
        return refusal.line, refusal.reason
    sequences = {
        name: [entry.sequence for entry in each.entries] for name, each in found.access_lists.items()
    }
    return found, found.whole, sequences


def agree(text: str) -> None:
    for strict in (False, True):

        def read(kind: type[Reader], known: Sections = None, strict: bool = strict) -> RunningConfig:
            return kind(clean(text), strict=strict, default_mode="match-all", known=known).read()

        careful = outcome(lambda: read(Careful))
        assert outcome(lambda: read(Reader)) == careful, text
        with suppress(EnteredAgainError):  # then `parse` reads it again, with nothing taken as finished
            assert outcome(lambda: read(Reader, {})) == careful, text


def agree_when_known(*texts: str) -> None:
    """Each text read with what those before it left known is the text read by itself."""
    known = ios.Known()
    for text in texts:
        for read in (ios.parse, ios.parse_fragment):
            assert outcome(lambda: read(text, known=known)) == outcome(lambda: read(text)), texts  # noqa: B023


LINES = """version 12.4
hostname r6
class-map match-all A
class-map match-any B
class-map type inspect match-any C
match  dscp ef 
match access-group name L
match not dscp 99
description ^C what
description to the ! left
policy-map P
policy-map type inspect Q
class A
class class-default
police cir percent 5
police 8000
conform-action transmit 
exceed-action drop
set dscp 46
set dscp 77
random-detect dscp-based
service-policy P
interface POS1/0
interface GigabitEthernet0/1.5
interface ATM2/0.3 point-to-point
interface range POS1/0 - 3
interface MgmtEth0/RP0/CPU0/0
pvc 1/32
pvc-bundle x
vbr-nrt 8000 6000
service instance 10 ethernet
range pvc 1/40 1/50
switchport trunk {
shutdown
no shutdown
no ip address
no match dscp 8
ip address 192.0.2.1 255.255.255.0
ip  access-group 101 in
ip unnumbered Loopback0
ipv6 enable
ipv6 traffic-filter L in
ipv4 address 192.0.2.1 255.255.255.0
bandwidth 2048
bandwidth percent 10
service-policy input P
service-policy output P
service-policy type inspect Q
ip access-list extended E
ipv6 access-list L
access-list 101 permit ip any any
permit ipv6 2001:DB8::/32 any
sequence 20 deny ipv6 any any
10 permit ip any any
remark ^C
router bgp 65000
neighbor 192.0.2.1 route-map X in
route-map X permit 10
match ip address L
line vty 0 4
access-class 23 in
control-plane
snmp-server community s3cret RO 23
banner motd ^C
banner login # hello #
certificate ca 01
30820001 00112233
key-string
macro name m
@
quit
exit
end
!
!!
!! IOS XR 7
!Command: show running-config
% Invalid input detected at '^' marker.
RP/0/0/CPU0:x#
end-policy-map
type inspect
^C
""".splitlines()  # noqa: W291


@st.composite
def texts(draw: st.DrawFn) -> str:
    """Lines of configuration in any order, at any depth, with any line ends."""
    chosen = draw(st.lists(st.tuples(st.integers(0, 4), st.sampled_from([*LINES, ""])), max_size=30))
    pad = draw(st.sampled_from(["", "", " "]))
    blank = draw(st.sampled_from([" ", " ", "\t"]))
    end = draw(st.sampled_from(["\n", "\r\n", "\r"]))
    return end.join(pad + blank * depth + line for depth, line in chosen)


@st.composite
def shaped_texts(draw: st.DrawFn) -> str:
    """Sections as routers print them, now and then with a line in the wrong place."""
    openers = [line for line in LINES if line.split(" ")[0] in OPENING]
    text: list[str] = []
    for header in draw(st.lists(st.sampled_from(openers), max_size=6)):
        text.append(header)
        text += [f"{' ' * draw(st.sampled_from([1, 1, 1, 2, 0]))}{line}" for line in draw(BODIES)]
        text += draw(st.sampled_from([[], ["!"], [" !"], [""], ["exit"]]))
    if draw(st.booleans()):
        text = ["version 12.4", *text, "end"]
    return "\n".join([*text, ""])


OPENING = ("class-map", "policy-map", "interface", "ip", "ipv6", "router", "line", "control-plane")
BODIES = st.lists(st.sampled_from(LINES), max_size=8)


@OFTEN
@given(texts())
def test_lines_in_any_order(text: str) -> None:
    agree(text)


@OFTEN
@given(shaped_texts())
def test_sections_as_printed(text: str) -> None:
    agree(text)


@OFTEN
@given(st.lists(st.one_of(shaped_texts(), texts()), min_size=1, max_size=3), st.randoms())
def test_what_is_known_makes_no_difference(drawn: list[str], dice: random.Random) -> None:
    mixed = [line for text in drawn for line in text.split("\n")]
    pieces = "\n".join(mixed).split("\n!")
    dice.shuffle(pieces)
    agree_when_known(*drawn, "\n".join(mixed), "\n!".join(pieces))


@OFTEN
@given(st.sampled_from(sorted(CONFIGS.glob("*.ios"))), st.data())
def test_whole_configurations_with_lines_changed(path: Path, data: st.DataObject) -> None:
    text = path.read_text()
    lines = text.split("\n")
    for _ in range(data.draw(st.integers(0, 3))):
        place = data.draw(st.integers(0, len(lines) - 1))
        depth = data.draw(st.integers(0, 3))
        lines[place : place + data.draw(st.integers(0, 2))] = [
            " " * depth + data.draw(st.sampled_from(LINES))
        ]
    agree("\n".join(lines))
    agree_when_known(text, "\n".join(lines), text)


def test_a_known_section_that_goes_on_further_down() -> None:
    first = "interface POS1/0\n shutdown\ninterface POS1/1\n shutdown\nrouter bgp 1\n"
    for more in (
        "interface POS1/0\n no shutdown\n",
        "interface POS 1/0\n no shutdown\n",
        first,
        "policy-map P\n class A\n  set dscp 8\n",
        "class-map match-any A\n match dscp 8\n",
        "ipv6 access-list L\n permit ipv6 any any\n",
        "ipv6 access-list L permit ipv6 any any\n",
        "ip access-list extended L\n permit ip any any\n",
        "access-list 101 permit ip any any\n",
    ):
        objects = (
            "policy-map P\n class A\n  set dscp 0\nclass-map match-all A\n match dscp 0\n"
            "ipv6 access-list L\n permit ipv6 host 2001:db8::1 any\nip access-list extended 101\n deny ip any any\n"
            "interface POS1/0\n ip address 192.0.2.1 255.255.255.0\nline vty 0 4\n"
        )
        agree_when_known(objects, objects, objects + more, more + objects, objects + more + objects)
        agree_when_known(first, first, first + more)


@pytest.mark.parametrize(
    ("before", "then"),
    [
        ("interface POS1/0\nline vty 0 4\n", "hostname r6\ninterface POS1/0\nshutdown\nline vty 0 4\n"),
        (
            "version 15.1\ninterface MgmtEth0/0\nline vty 0 4\nend\n",
            "hostname r6\ninterface MgmtEth0/0\nline vty 0 4\n",
        ),
        ("interface POS1/0\n shutdown\n", "   set dscp 8\ninterface POS1/0\n shutdown\n"),
        (
            "interface POS1/0\nshutdown\ninterface POS1/0\n description x\nline vty 0 4\n",
            "hostname r6\ninterface POS1/0\n description x\nline vty 0 4\n",
        ),
    ],
    ids=["goes-on-at-the-margin", "of-another-system", "cut-off-before", "second-half"],
)
def test_a_known_text_that_means_something_else_here(before: str, then: str) -> None:
    agree_when_known(before, then)


def test_what_is_known_is_not_read_again(monkeypatch: pytest.MonkeyPatch) -> None:
    text = (CONFIGS / "asr-xe.ios").read_text()
    known = ios.Known()
    found = ios.parse(text, known=known)
    reads: list[str] = []
    monkeypatch.setattr(InterfaceSection, "read", lambda _self, line: reads.append(line.text))
    again = ios.parse(text, known=known)
    assert again == found
    assert again.interfaces["GigabitEthernet0/0/0"] is found.interfaces["GigabitEthernet0/0/0"]
    assert not reads
    ios.parse(text)
    assert reads


@pytest.mark.parametrize("line", LINES)
@pytest.mark.parametrize(
    "header",
    [
        "class-map match-all A",
        "policy-map P\n class A\n  police 8000",
        "interface POS1/0",
        "interface ATM1/0.1\n pvc 1/32",
        "ipv6 access-list L",
        "router bgp 1",
        "control-plane",
    ],
)
def test_every_line_in_every_section(header: str, line: str) -> None:
    for depth in range(4):
        for follows in ("", "\n set dscp 8", "\n  ubr 100\n service-policy input P", "\nset dscp 8"):
            agree(f"{header}\n{' ' * depth}{line}{follows}\n")
