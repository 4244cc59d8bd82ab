"""Editing a policy-map no packet meets: what a router refuses to take away, or to mix, along the way."""

from __future__ import annotations

from provisioning.pipeline import ios
from provisioning.pipeline.diff import diff_configs
from provisioning.pipeline.rendering import Renderer
from provisioning.selectors.templates import ios_environment

RENDERER = Renderer(ios_environment())


def commands(running: str, intended: str) -> list[str]:
    found = diff_configs(ios.parse_fragment(running), ios.parse_fragment(intended), RENDERER)
    assert not found.conflicts
    return [line.text for line in found.commands]


def policy(*lines: str) -> str:
    return "\n".join(["class-map match-all EF", " match dscp ef", "policy-map OUT", *lines, ""])


def test_wred_comes_off_before_what_it_stands_on() -> None:
    running = policy(" class class-default", "  fair-queue", "  random-detect dscp-based", "  queue-limit 90")
    intended = policy(
        " class class-default", "  bandwidth percent 9", "  random-detect dscp-based", "  queue-limit 90"
    )
    assert commands(running, intended)[2:] == [
        "no queue-limit 90",
        "no random-detect",
        "no fair-queue",
        "bandwidth percent 9",
        "random-detect dscp-based",
        "queue-limit 90",
    ]


def test_a_guarantee_typed_over_leaves_wred_alone() -> None:
    running = policy(" class class-default", "  bandwidth percent 9", "  random-detect dscp-based")
    intended = policy(" class class-default", "  bandwidth percent 7", "  random-detect dscp-based")
    assert commands(running, intended)[2:] == ["bandwidth percent 7"]


def test_guarantees_are_never_in_two_units_along_the_way() -> None:
    running = policy(" class EF", "  bandwidth percent 9", " class class-default", "  bandwidth percent 20")
    intended = policy(
        " class EF",
        "  bandwidth remaining percent 9",
        " class class-default",
        "  bandwidth remaining percent 20",
    )
    sent = commands(running, intended)
    assert sent.index("no policy-map OUT") < sent.index("policy-map OUT")
    assert [line for line in sent if line.startswith("bandwidth")] == [
        "bandwidth remaining percent 9",
        "bandwidth remaining percent 20",
    ]


def test_the_only_guarantee_changes_its_unit_in_place() -> None:
    running = policy(" class EF", "  bandwidth percent 9")
    intended = policy(" class EF", "  bandwidth 2000")
    assert commands(running, intended)[1:] == ["class EF", "bandwidth 2000"]


def test_guarantees_in_one_unit_are_typed_over() -> None:
    running = policy(" class EF", "  bandwidth percent 9", " class class-default", "  bandwidth percent 20")
    intended = policy(" class EF", "  bandwidth percent 8", " class class-default", "  bandwidth percent 21")
    sent = commands(running, intended)
    assert sent[1:] == ["class EF", "bandwidth percent 8", "class class-default", "bandwidth percent 21"]


def test_wred_that_goes_with_what_it_stood_on_does_not_come_back() -> None:
    running = policy(" class class-default", "  fair-queue", "  random-detect dscp-based")
    intended = policy(" class class-default", "  shape average 8000000")
    assert commands(running, intended)[2:] == ["no random-detect", "no fair-queue", "shape average 8000000"]


def test_wred_that_comes_with_another_scheduler_is_not_taken_away_first() -> None:
    running = policy(" class class-default", "  fair-queue")
    intended = policy(" class class-default", "  bandwidth percent 9", "  random-detect dscp-based")
    assert commands(running, intended)[2:] == [
        "no fair-queue",
        "bandwidth percent 9",
        "random-detect dscp-based",
    ]
