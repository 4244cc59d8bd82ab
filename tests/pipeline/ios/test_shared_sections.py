"""What several texts share is read once, and only what a text says by itself is shared."""

from __future__ import annotations

import pytest

from provisioning.errors import ParseFailure
from provisioning.pipeline import ios
from provisioning.pipeline.ios.known import Known
from tests.pipeline.ios.test_two_speeds import agree_when_known

BEGINS, ENDS = "class-map match-all FIRST\n match cos 1\n", "interface POS9/9\n"
AGAIN = {
    "a class-map": ("class-map match-all A\n match dscp 8\n", "class-map match-all A\n match cos 5\n"),
    "a policy-map": ("policy-map P\nclass A\n  set dscp 8\n", "policy-map P\n class B\n  set cos 5\n"),
    "an interface": ("interface ATM1/0\nshutdown\n", "interface ATM1/0\n pvc 1/32\n  ubr 512\n"),
    "a list": (
        "ipv6 access-list L permit ipv6 host 2001:db8::1 any\n",
        "ipv6 access-list L\n evaluate BACK\n",
    ),
    "a list of entries alone": (
        "ipv6 access-list L permit ipv6 host 2001:db8::1 any\n",
        "ipv6 access-list L\n permit ipv6 any any\n",
    ),
    "a numbered list": (
        "access-list 101 permit ip host 192.0.2.1 any\n",
        "ip access-list extended 101\n permit ip any any\n evaluate BACK\n",
    ),
}


@pytest.mark.parametrize(("first", "second"), AGAIN.values(), ids=AGAIN.keys())
def test_what_goes_on_with_an_object_is_not_the_whole_of_it_elsewhere(first: str, second: str) -> None:
    texts = [f"{BEGINS}{text}{ENDS}" for text in (first + second, second, first + second)]
    agree_when_known(*texts)


def test_every_kind_of_section_is_shared() -> None:
    text = (
        "hostname r\nclass-map match-all A\n match dscp 8\npolicy-map P\n class A\n  set dscp 0\n"
        "ip access-list extended E\n permit ip any any\n evaluate BACK\nipv6 access-list L\n permit ipv6 any any\n"
        "interface ATM1/0\n pvc 1/32\n  ubr 512\ninterface POS1/0\n shutdown\nline vty 0 4\n"
    )
    known = Known()
    one, other = ios.parse(text, known=known), ios.parse(text, known=known)
    assert one == other
    for held in ("class_maps", "policy_maps", "access_lists", "interfaces"):
        for name, value in getattr(one, held).items():
            assert getattr(other, held)[name] is value, name


def test_what_is_read_leniently_is_not_shared_with_what_is_read_strictly() -> None:
    known, text = Known(), f"{BEGINS}ip access-list extended E\n odd entry\n{ENDS}"
    assert ios.parse(text, known=known).access_lists
    with pytest.raises(ParseFailure, match="no entry") as caught:
        ios.parse_fragment(text, known=known)
    assert caught.value.line == 4


def test_a_name_of_both_families_is_two_lists() -> None:
    found = ios.parse(
        "ipv6 access-list L\n permit ipv6 any any\nip access-list extended L\n deny ip any any\n"
        "ipv6 access-list SIX\n permit ipv6 any any\n"
    )
    assert {key: (each.name, each.family) for key, each in found.access_lists.items()} == {
        "L": ("L", 4),
        "ipv6 L": ("L", 6),
        "SIX": ("SIX", 6),
    }


def test_nothing_behind_a_line_of_a_list_is_in_the_list() -> None:
    for entry in ("access-list 101 permit ip any any", "ipv6 access-list L permit ipv6 any any"):
        (held,) = ios.parse(f"hostname r\n{entry}\n deny ip any any\ndeny ip any any\n").access_lists.values()
        assert [each.action for each in held.entries] == ["permit"]
