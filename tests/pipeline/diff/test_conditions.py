"""What a class asks of a source, classes within classes included: turned round as often as they keep out."""

from __future__ import annotations

from provisioning.pipeline import ios
from provisioning.pipeline.diff.both_sides import _conditions
from provisioning.pipeline.diff.store import Objects

TEXT = """\
hostname r1
class-map match-any INNER
 match access-group name a
 match not access-group name b
class-map match-none NEITHER
 match class-map INNER
 match access-group name c
class-map match-all TOP
 match not class-map NEITHER
 match access-group name d
class-map match-all PLAIN
 match not class-map INNER
 match not dscp 46
"""


def asked(name: str, text: str = TEXT) -> list[tuple[str, bool]]:
    found = _conditions(Objects(ios.parse(text)), name)
    return sorted((" ".join(sorted(map(str, match.values))), match.negated) for match in found)


def test_a_class_within_a_class_is_turned_round_as_often_as_it_keeps_out() -> None:
    assert asked("INNER") == [("a", False), ("b", True)]
    assert asked("NEITHER") == [("a", True), ("b", False), ("c", True)]
    assert asked("TOP") == [("a", False), ("b", True), ("c", False), ("d", False)]
    assert asked("PLAIN") == [("46", True), ("a", True), ("b", False)]


def test_a_class_that_is_not_there_asks_nothing() -> None:
    assert asked("GONE") == []
    assert asked(
        "OUTER", "hostname r1\nclass-map match-any OUTER\n match class-map GONE\n match dscp 8\n"
    ) == [("8", False)]


def test_classes_are_followed_as_deep_as_routers_take_them() -> None:
    deep = "".join(f"class-map match-all C{n}\n match class-map C{n + 1}\n" for n in range(6))
    last = "class-map match-all C{}\n match dscp 8\n"
    assert asked("C1", f"hostname r1\n{deep}{last.format(6)}") == []
    assert asked("C2", f"hostname r1\n{deep}{last.format(6)}") == [("8", False)]
