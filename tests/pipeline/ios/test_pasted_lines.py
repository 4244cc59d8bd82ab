"""What engineers paste: a part of a configuration with the prompt and the command that showed it, and no `end`."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from provisioning.errors import ParseFailure
from provisioning.pipeline import ios
from provisioning.pipeline.mqc import RunningConfig

Read = Callable[[str], RunningConfig]
POLICY = """\
policy-map LEAF-OUT
 class VOIX
  priority percent 12
 class class-default
  fair-queue
"""
SHOWN = [
    "lyon-pe1#show running-config | section policy-map",
    "lyon-pe1# sh run | s ^policy-map",
    "lyon-pe1.net>show policy-map LEAF-OUT",
    "lyon-pe1(config)#do sho run | sec policy",
    "lyon-pe1#",
]


@pytest.mark.parametrize("read", [ios.parse, ios.parse_fragment])
@pytest.mark.parametrize("prompt", SHOWN)
def test_the_prompt_before_and_behind_says_nothing(read: Read, prompt: str) -> None:
    config = read(f"{prompt}\r\n{POLICY}lyon-pe1#\n")
    assert config == ios.parse_fragment(POLICY)
    assert not config.whole


@pytest.mark.parametrize(
    "line", ["lyon-pe1(config)#policy-map OTHER", "lyon-pe1#reload", "lyon-pe1 show run"]
)
def test_any_other_line_is_still_refused_in_what_somebody_intends(line: str) -> None:
    with pytest.raises(ParseFailure, match="no MQC object"):
        ios.parse_fragment(f"{line}\n{POLICY}")


def test_lines_without_a_beginning_do_not_belong_to_the_prompt() -> None:
    with pytest.raises(ParseFailure, match="line 2: `class VOIX` is no MQC object"):
        ios.parse_fragment(f"lyon-pe1#show run | include class\n class VOIX\n{POLICY}")


def test_the_prompt_of_ios_xr_is_refused_by_name() -> None:
    with pytest.raises(ParseFailure, match="IOS-XR"):
        ios.parse_fragment(f"RP/0/RSP0/CPU0:lyon#show run policy-map\n{POLICY}")


@pytest.mark.parametrize("read", [ios.parse, ios.parse_fragment])
def test_a_whole_configuration_without_its_end_stays_cut_off(read: Read) -> None:
    shown = "lyon-pe1#show running-config\nBuilding configuration...\n\nCurrent configuration : 4711 bytes\n"
    with pytest.raises(ParseFailure, match="its `end` is missing: cut off"):
        read(f"{shown}!\nversion 15.2\nhostname lyon-pe1\n{POLICY}")


@pytest.mark.parametrize("read", [ios.parse, ios.parse_fragment])
def test_a_range_of_interfaces_is_refused_with_what_to_write(read: Read) -> None:
    with pytest.raises(ParseFailure, match=r"line 6: `interface range .*` names no interface.*name each one"):
        read(f"{POLICY}interface range GigabitEthernet0/1 - 4\n service-policy output LEAF-OUT\n")
