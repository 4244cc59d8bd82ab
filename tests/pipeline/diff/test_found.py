"""What the properties found: each written down as the smallest pair of configurations that showed it."""

from __future__ import annotations

import pytest

from provisioning.pipeline import ios
from provisioning.pipeline.diff import diff_configs
from tests.pipeline.practice import Oracle, profile_of

IN_USE = """\
ipv6 access-list hosts
{entries}class-map match-all VIDEO
 match access-group name hosts
policy-map IN
 class VIDEO
  set dscp af41
 class class-default
  set dscp default
interface POS1/0
 service-policy input IN
"""


def in_use(*entries: str) -> str:
    return IN_USE.format(entries="".join(f" {entry}\n" for entry in entries))


@pytest.mark.parametrize("kind", ["12000", "7200-12.3T", "ios-xe"])
def test_a_list_in_use_without_entries_gets_them_by_a_new_version_and_is_put_back(kind, renderer):
    """In place there would be no way back: what a list without entries does is not known (ios-facts 2.7, U4)."""
    oracle = Oracle(kind, in_use())
    start = oracle.read()
    wanted = ios.parse_fragment(in_use("permit ipv6 2001:DB8:A::/48 any"), profile_of(kind))
    found = diff_configs(start, wanted, renderer, profile_of(kind))
    assert oracle.send(found.commands) == []
    assert oracle.read() == found.result
    assert oracle.send(found.rollback) == []
    assert oracle.read() == start
