"""What is ours and no longer wanted goes, as far as nobody else uses it and nobody has edited it."""

from __future__ import annotations

from provisioning.pipeline import ios
from provisioning.pipeline.diff import ConflictKind, Owned, Remediation, diff
from provisioning.pipeline.intent import RouterIntent
from provisioning.pipeline.mqc import RunningConfig
from provisioning.pipeline.rendering import Renderer
from provisioning.selectors.templates import ios_environment
from tests.pipeline.intents import everything_of

RENDERER = Renderer(ios_environment())
NOBODY_WANTS_ANYTHING = RouterIntent("r1", (), (), (), frozenset())


def parsed(text: str) -> RunningConfig:
    return ios.parse(f"hostname r1\n{text}")


def classes(*names: str, dscp: int = 46) -> str:
    return "".join(f"class-map match-all {name}\n match dscp {dscp}\n" for name in names)


def rows(text: str, *more: tuple[str, str]) -> Owned:
    return Owned({**everything_of(parsed(text)).objects, **dict.fromkeys(more, "0" * 64)})


def removed(running: str, owned: Owned) -> Remediation:
    return diff(parsed(running), NOBODY_WANTS_ANYTHING, owned, RENDERER)


def texts(found: Remediation) -> list[str]:
    return [line.text for line in found.commands]


def test_what_others_use_stays_and_the_rest_goes():
    theirs = "policy-map THEIRS\n class M\n  set dscp 0\n"
    found = removed(classes("A", "M", "Z") + theirs, rows(classes("A", "M", "Z"), ("class-map", "GONE")))
    assert texts(found) == ["no class-map Z", "no class-map A"]
    assert found.warnings == ("class-map M stays: something that is not ours still uses it",)
    assert found.released == (("class-map", "A"), ("class-map", "GONE"), ("class-map", "Z"))


def test_what_something_else_than_mqc_uses_stays():
    lists = "".join(f"ipv6 access-list {name}\n permit ipv6 any any\n" for name in ("a", "m", "z"))
    found = removed(f"{lists}interface POS1/0\n ipv6 traffic-filter m in\n", rows(lists))
    assert texts(found) == ["no ipv6 access-list z", "no ipv6 access-list a"]
    assert found.warnings == ("access-list m stays: something that is not ours still uses it",)


def test_every_leftover_that_was_edited_by_hand_is_shown_and_nothing_is_sent():
    found = removed(classes("A", "M", "Z"), rows(classes("M") + classes("A", "Z", dscp=40)))
    assert texts(found) == []
    assert [(each.kind, each.name, each.expected, each.found) for each in found.conflicts] == [
        (ConflictKind.HAND_EDIT, name, "", classes(name)) for name in ("Z", "A")
    ]
    assert found.conflicts[0].text == "class-map Z is ours and was edited by hand"
