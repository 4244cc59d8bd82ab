"""What is kept of a decision gives the same verdict again, evidence, reasons and offers included, however much was joined."""

from __future__ import annotations

import json

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from provisioning.errors import InvalidInput
from provisioning.pipeline.admission import (
    SharedBucket,
    admit_all,
    basis_from_json,
    basis_of,
    basis_to_json,
)
from provisioning.pipeline.admission import basis as basis_module
from provisioning.pipeline.admission.levels import bucket_levels as real_buckets
from provisioning.pipeline.admission.levels import levels as real_levels
from provisioning.pipeline.admission.line_cards import ignores_ipv6_class, no_doubt
from provisioning.pipeline.timeline import Commitment
from provisioning.pipeline.topology import (
    Direction,
    LinkDirection,
    network_from_json,
    network_to_json,
)
from provisioning.pipeline.units import TimeWindow
from provisioning.selectors.schemes import load_scheme
from tests.pipeline.admission.oracle import line
from tests.pipeline.admission.test_properties import wishes
from tests.pipeline.networks import at

SCHEME = load_scheme("6net")
NETWORK = line(4, 2000)


@st.composite
def commitments(draw: st.DrawFn) -> Commitment:
    link = draw(st.sampled_from(NETWORK.links))
    ways = (Direction.IN, Direction.OUT) if link.kind == "access" else (Direction.A_Z, Direction.Z_A)
    start = draw(st.integers(-3, 12))
    end = draw(st.one_of(st.none(), st.integers(start + 1, 14)))
    window = TimeWindow(at(start), None if end is None else at(end))
    return Commitment(
        LinkDirection(link.id, draw(st.sampled_from(ways))),
        "premium",
        draw(st.integers(1, 60)),
        window,
        "other",
    )


@pytest.mark.parametrize("most", [200, 0])
@settings(max_examples=150, deadline=None)
@given(
    asked=st.lists(wishes(), min_size=1, max_size=2),
    held=st.lists(commitments(), max_size=30),
    now=st.one_of(st.none(), st.integers(-2, 9)),
)
def test_the_verdict_follows_from_what_is_kept(most: int, asked: list, held: list, now: int | None) -> None:
    pool = next(iter(SCHEME.pools))
    others = [Commitment(each.link_direction, pool, each.rate_bps, each.window, each.sls_id) for each in held]
    slss = [wish.as_sls(f"PIP-{number}") for number, wish in enumerate(asked)]
    moment = at(0 if now is None else now)
    names = [SCHEME.classes[0].name, SCHEME.classes[0].abbreviation]
    sharing = [
        SharedBucket(slss[0].source_link, names[number % 2], 4000 * each.rate_bps, each.window)
        for number, each in enumerate(held[:20])
    ]
    since = min(sls.window.start for sls in slss)
    verdict = admit_all(NETWORK, SCHEME, slss, others, sharing=sharing, now=moment)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(basis_module, "levels", lambda *a, **k: real_levels(*a, **k, most=most))
        patch.setattr(basis_module, "bucket_levels", lambda *a: real_buckets(*a, most=most))
        basis = basis_of(
            NETWORK,
            SCHEME,
            slss,
            verdict,
            others,
            now=moment,
            since=since,
            sharing=sharing,
            engine_rule=ignores_ipv6_class,
            engine_doubt=no_doubt,
        )
    stored = json.loads(json.dumps([basis_to_json(basis), network_to_json(NETWORK)]))
    again = basis_from_json(stored[0])
    assert again.verdict(network_from_json(stored[1]), SCHEME) == verdict
    assert json.dumps(basis_to_json(again)) == json.dumps(stored[0])


def test_a_course_of_thousands_is_kept_in_a_few_stretches() -> None:
    """100,000 reservations of others on one link, a minute each, none of which matters: not a row each."""
    link = next(each.id for each in NETWORK.access_links)
    pool = next(iter(SCHEME.pools))
    load = LinkDirection(link, Direction.IN)
    held = [
        Commitment(load, pool, 1 + n % 7, TimeWindow(at(n / 60), at((n + 1) / 60)), "o") for n in range(5000)
    ]
    found = real_levels(held, at(0), limits={(load, pool): {90, 50}}, cuts={at(0), at(24), at(48)})
    assert len(found[load, pool]) <= 8
    assert max(each.rate_bps for each in found[load, pool]) == 7


@pytest.mark.parametrize("broken", [{}, {"asked": 3}, {"asked": [], "now": "x"}, []])
def test_what_is_no_basis_is_said(broken: object) -> None:
    with pytest.raises(InvalidInput):
        basis_from_json(broken)  # type: ignore[arg-type]
    with pytest.raises(InvalidInput):
        network_from_json(broken)  # type: ignore[arg-type]
