"""Reading on in an object, or with what another text left known, changes neither strictness nor the platform's defaults."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import pytest

from provisioning.errors import ParseFailure
from provisioning.pipeline import ios
from provisioning.pipeline.ios.known import Known
from provisioning.pipeline.mqc import RunningConfig
from provisioning.pipeline.platforms import profile

ANY = replace(profile("ios-xe"), class_map_default_mode="match-any")
ONCE = "class-map match-all FIRST\n match cos 1\nclass-map A\n match dscp 8\n"
AGAIN = f"{ONCE}policy-map P\n class A\npolicy-map P\n class B\n"
"""A policy-map entered twice: the text is read a second time, with nothing taken as finished."""


@pytest.mark.parametrize("read", [ios.parse, ios.parse_fragment])
@pytest.mark.parametrize("text", [AGAIN, ONCE], ids=["again", "once"])
def test_a_class_map_without_a_mode_has_the_platforms(read: Callable[..., RunningConfig], text: str) -> None:
    known = Known()
    for platform, mode in ((None, "match-all"), (ANY, "match-any"), (None, "match-all")):
        assert read(text, platform, known).class_maps["A"].mode == mode
        assert read(text, platform).class_maps["A"].mode == mode


def test_an_object_entered_again_is_still_read_strictly() -> None:
    assert [each.name for each in ios.parse_fragment(AGAIN).policy_maps["P"].classes] == ["A", "B"]
    with pytest.raises(ParseFailure, match="no MQC object") as caught:
        ios.parse_fragment(f"{AGAIN}router bgp 1\n")
    assert caught.value.line == 9


def test_a_whole_configuration_is_no_list_of_what_is_intended() -> None:
    assert ios.parse_fragment("version 12.4\nhostname r\nrouter bgp 1\nend\n").hostname == "r"


def test_what_is_intended_is_shared_too() -> None:
    known, text = Known(), "class-map match-all A\n match cos 5\npolicy-map P\n class A\n  set dscp 8\n"
    one, other = ios.parse_fragment(text, known=known), ios.parse_fragment(text, known=known)
    assert one.policy_maps["P"] is other.policy_maps["P"]


@pytest.mark.parametrize("text", ["interface \n shutdown\nline vty 0 4\n", "interface\n shutdown\n"])
def test_an_interface_without_a_name_is_not_named_by_its_first_line(text: str) -> None:
    with pytest.raises(ParseFailure, match="names no interface") as caught:
        ios.parse(f"hostname r\n{text}")
    assert caught.value.line == 2


@pytest.mark.parametrize(
    "text", ["ip access-list extended E\n 10 odd entry\n", "access-list 23 permit any\naccess-list 23 odd\n"]
)
@pytest.mark.parametrize("before", ["", "class-map match-all A\n match dscp 8\n"], ids=["first", "later"])
def test_a_line_that_is_no_entry_is_refused_where_it_is_intended(before: str, text: str) -> None:
    with pytest.raises(ParseFailure, match="no entry") as caught:
        ios.parse_fragment(f"{before}{text}interface POS1/0\n")
    assert caught.value.line == 2 + before.count("\n")
