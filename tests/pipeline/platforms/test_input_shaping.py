"""Why an edge does not shape what enters: said by platform, card and medium, with how well it is known (@IRS 2.2.3.1)."""

from __future__ import annotations

import pytest

from provisioning.pipeline.platforms import Tag
from tests.pipeline.practice import profile_of


@pytest.mark.parametrize(
    ("kind", "engine", "interface", "tag", "said"),
    [
        ("7200-12.2T", None, "POS1/0", Tag.LIKELY, "output only"),
        ("7200-hqf", None, "ATM2/0.1", Tag.LIKELY, "output only"),
        ("ios-xe", None, "GigabitEthernet0/0/1", Tag.LIKELY, "output only"),
        ("12000", None, "POS1/0", Tag.UNKNOWN, "does not say which engine"),
        ("12000", "4+", "POS1/0", Tag.UNKNOWN, "Engine 4+"),
        ("12000", "3", "POS1/0", Tag.UNKNOWN, "nothing says it of this one"),
        ("12000", "3", "ATM5/0.1", Tag.UNKNOWN, "not beside an IPv6 access list by flow label"),
    ],
)
def test_each_edge_has_its_reason(kind: str, engine: str | None, interface: str, tag: Tag, said: str) -> None:
    found = profile_of(kind).why_not_shaped(engine, interface)
    assert (found.tag, said in found.source) == (tag, True)
