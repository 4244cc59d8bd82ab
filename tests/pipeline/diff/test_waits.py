"""What waits for itself, over whatever others."""

from __future__ import annotations

import pytest

from provisioning.pipeline.diff.circles import in_circles


@pytest.mark.parametrize(
    ("waits_for", "found"),
    [
        ({}, ""),
        ({"a": "b", "b": ""}, ""),
        ({"a": "a"}, "a"),
        ({"a": "b", "b": "a"}, "ab"),
        ({"a": "b", "b": "c", "c": "a"}, "abc"),
        ({"a": "b", "b": "cd", "c": "b"}, "bc"),  # a waits for a circle, and is in none
        ({"a": "bc", "b": "a", "c": ""}, "ab"),  # whichever of the two is looked at first
        ({"a": "bc", "b": "", "c": "a"}, "ac"),
        ({"a": "bcde", "b": "", "c": "", "d": "f", "e": "", "f": "a"}, "adf"),
    ],
)
def test_whatever_waits_for_itself_is_found(waits_for: dict[str, str], found: str) -> None:
    assert in_circles(waits_for) == set(found)
