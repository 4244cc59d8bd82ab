"""In sync, differs, unknown; on practice routers in every dialect, and on what came back instead of a config."""

from __future__ import annotations

import pytest

from provisioning.errors import Unreachable
from provisioning.pipeline.diff import Owned, diff
from provisioning.pipeline.mqc import digest
from provisioning.pipeline.rendering import Renderer
from provisioning.pipeline.verification import Differs, InSync, Unknown, verify
from tests.pipeline.change.test_plans import BASELINE
from tests.pipeline.practice import KINDS, Oracle, profile_of
from tests.pipeline.worlds import FOREIGN


def deployed(kind: str, renderer: Renderer) -> tuple[Oracle, Owned]:
    oracle = Oracle(kind, FOREIGN)
    found = diff(oracle.read(), BASELINE.intent(kind), Owned(), renderer, profile_of(kind))
    assert oracle.send(found.commands) == []
    return oracle, Owned(found.owned_after)


def outcome(oracle: Oracle, owned: Owned, renderer: Renderer, reading=None):
    text = oracle.text() if reading is None else reading
    return verify(text, BASELINE.intent(oracle.kind), owned, renderer, profile_of(oracle.kind))


@pytest.mark.parametrize("kind", KINDS)
def test_what_was_deployed_is_in_sync_however_it_is_printed(kind, renderer):
    oracle, owned = deployed(kind, renderer)
    seen = outcome(oracle, owned, renderer)
    assert isinstance(seen, InSync)
    assert dict(seen.objects) == dict(owned.objects)
    assert seen.intent_revision == BASELINE.intent(kind).revision


@pytest.mark.parametrize(
    ("lines", "item", "expected", "found"),
    [
        (
            ["policy-map TRUSTED-IN", "class EF", "police cir percent 9"],
            "policy-map TRUSTED-IN",
            "cir percent 5",
            "cir percent 9",
        ),
        (["interface POS1/0", "no service-policy input TRUSTED-IN"], "POS1/0 input", "TRUSTED-IN", ""),
        (
            [
                "interface POS1/0",
                "no service-policy input TRUSTED-IN",
                "service-policy input NON-PARTICIPANT",
            ],
            "POS1/0 input",
            "TRUSTED-IN",
            "NON-PARTICIPANT",
        ),
        (
            ["ipv6 access-list nren-auth-ef", "permit ipv6 any any"],
            "access-list nren-auth-ef",
            "2001:db8:a::/48",
            "any any",
        ),
        (
            ["class-map match-all LBE", "no match dscp 8", "match dscp 10"],
            "class-map LBE",
            "dscp 8",
            "dscp 10",
        ),
    ],
    ids=["hand-edited rate", "unbound", "another policy of ours", "widened list", "class"],
)
def test_whatever_differs_is_named_with_both_sides(lines, item, expected, found, renderer):
    oracle, owned = deployed("7200-12.3T", renderer)
    assert oracle.send(lines) == []
    seen = outcome(oracle, owned, renderer)
    assert isinstance(seen, Differs)
    (named,) = (each for each in seen.items if each.object == item)
    assert expected in named.expected
    assert found in named.found


def test_an_object_that_vanished_differs(renderer):
    oracle, owned = deployed("12000", renderer)
    oracle.send(["interface POS2/0", "no service-policy output my_policy", "no policy-map my_policy"])
    seen = outcome(oracle, owned, renderer)
    assert isinstance(seen, Differs)
    assert {each.object for each in seen.items} == {"policy-map my_policy", "POS2/0 output"}


def test_a_leftover_of_ours_differs(renderer):
    oracle, owned = deployed("12000", renderer)
    oracle.send(["class-map match-all EXTRA", "match dscp 8"])
    extra = oracle.read().class_maps["EXTRA"]
    more = Owned({**owned.objects, ("class-map", "EXTRA"): digest(extra)})
    seen = outcome(oracle, more, renderer)
    assert isinstance(seen, Differs)
    assert [each.object for each in seen.items] == ["class-map EXTRA"]


@pytest.mark.parametrize(
    "reading",
    [
        Unreachable("no answer from 192.0.2.1"),
        "",
        "% Invalid input detected at '^' marker.",
        "class-map match-all EF\n match dscp 46\n",
        "\x00\x01\x02",
    ],
    ids=["unreachable", "empty", "an error message", "a part only", "binary"],
)
def test_what_is_no_whole_config_is_unknown_never_a_difference(reading, renderer):
    oracle, owned = deployed("12000", renderer)
    seen = outcome(oracle, owned, renderer, reading)
    assert isinstance(seen, Unknown)
    assert seen.reason


def test_a_truncated_config_is_unknown(renderer):
    oracle, owned = deployed("12000", renderer)
    text = oracle.text()
    seen = outcome(oracle, owned, renderer, text[: text.index("policy-map")])
    assert isinstance(seen, Unknown)


@pytest.mark.parametrize(("bw", "equal"), [(155_000_000, True), (155_520_000, False), (None, False)])
def test_a_rate_that_equals_the_percentage_today_differs_and_says_so(renderer, bw, equal):
    """`show interface` decides; where it was not read and no `bandwidth` is configured nothing is claimed."""
    oracle, owned = deployed("12000", renderer)
    oracle.send(["policy-map TRUSTED-IN", "class EF", "police cir 7750000"])
    known = None if bw is None else {"POS1/0": bw}
    seen = verify(oracle.text(), BASELINE.intent("12000"), owned, renderer, profile_of("12000"), known)
    assert isinstance(seen, Differs), "never merged"
    assert [(each.interface, each.held, each.wanted) for each in seen.equal_today] == (
        [("POS1/0", "police cir 7750000", "police cir percent 5")] if equal else []
    )
