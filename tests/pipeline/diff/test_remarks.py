"""Remarks that a terminal does not take as they stand: at a question mark a router prints help."""

from __future__ import annotations

import pytest

from provisioning.errors import InvalidInput
from provisioning.pipeline import ios
from provisioning.pipeline.diff import diff_configs
from tests.pipeline.practice import Oracle, profile_of

USED = """\
class-map match-any GUARDED
 match access-group name {name}
policy-map EDGE-IN
 class GUARDED
  set dscp ef
interface POS1/0
 service-policy input EDGE-IN
"""
HEADERS = {"ip access-list extended": "ip", "ipv6 access-list": "ipv6"}


def config(header: str, *lines: str, used: bool = True) -> str:
    text = f"{header} SITES\n" + "".join(f" {line}\n" for line in lines)
    return text + (USED.format(name="SITES") if used else "")


@pytest.mark.parametrize("used", [True, False], ids=["in use", "unused"])
@pytest.mark.parametrize("header", HEADERS)
def test_a_remark_is_put_back_as_far_as_it_can_be_typed(header, used, renderer):
    profile = profile_of("7200-15.x")
    entry = f"permit {HEADERS[header]} any any dscp ef"
    running = ios.parse(config(header, "remark who? ask!", entry, used=used), profile)
    wanted = ios.parse_fragment(config(header, entry, used=used), profile)
    found = diff_configs(running, wanted, renderer, profile)
    assert found.commands
    assert not [line.text for line in (*found.commands, *found.rollback) if "?" in line.text]
    assert [line.text.partition("remark ")[2] for line in found.rollback if "remark" in line.text] == [
        "who ask!"
    ]
    said = "access-list SITES: a remark holds a question mark, which cannot be typed: put back without it"
    assert found.warnings == (said,)


def test_a_remark_of_question_marks_only_is_left_out(renderer):
    running = ios.parse(config("ip access-list extended", "remark ???", "permit ip any any"))
    wanted = ios.parse_fragment(config("ip access-list extended", "permit ip any any dscp ef"))
    found = diff_configs(running, wanted, renderer)
    assert not [line.text for line in found.rollback if "remark" in line.text]


def test_a_remark_nobody_touches_is_no_matter(renderer):
    held = ios.parse(config("ip access-list extended", "remark who?", "permit ip any any"))
    found = diff_configs(held, held, renderer)
    assert found.empty
    assert found.warnings == ()


def test_a_remark_that_is_wanted_with_a_question_mark_is_refused(renderer):
    held = ios.parse(config("ip access-list extended", "permit ip any any"))
    wanted = ios.parse_fragment(config("ip access-list extended", "remark who?", "permit ip any any"))
    with pytest.raises(InvalidInput, match="does not read as text"):
        diff_configs(held, wanted, renderer)


def test_an_exclamation_mark_in_a_remark_is_text():
    router = Oracle("7200-15.x")
    lines = ["ip access-list extended SITES", " remark !!! do not touch !!!", " permit ip any any"]
    assert router.send(lines) == []
    (held,) = router.read().access_lists.values()
    assert held.entries[0].remark == "!!! do not touch !!!"
