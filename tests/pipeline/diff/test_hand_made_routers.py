"""The same properties on routers as people make them by hand, of every train: nested classes and policies, shared
policies, lists of both families in use, versions and leftovers, PVCs, percentages that become rates.
"""

from __future__ import annotations

from random import Random

from hypothesis import example, given
from hypothesis import strategies as st

from provisioning.pipeline.diff import diff_configs
from provisioning.pipeline.diff.compare import same
from provisioning.pipeline.diff.store import store_of
from provisioning.pipeline.rendering import Renderer
from provisioning.pipeline.safety import check, roles_of, simulate
from provisioning.selectors.templates import ios_environment
from tests.pipeline.diff.test_properties import alike
from tests.pipeline.practice import BANDWIDTHS, KINDS, profile_of
from tests.pipeline.properties import OF_ROUTERS
from tests.pipeline.routers import edited, holding, made

RENDERER = Renderer(ios_environment())


@OF_ROUTERS
@given(kind=st.sampled_from(sorted(KINDS)), seed=st.integers(0, 2**64 - 1), share=st.integers(0, 99))
@example(kind="7200-hqf", seed=18, share=50)  # an IPv4 entry put back comes last
@example(kind="7200-12.3T", seed=97, share=50)  # a class-map edited to refer to one that is made
@example(kind="7200-12.2T", seed=16, share=50)  # an entry written twice
@example(kind="7200-12.3T", seed=22, share=50)  # a remark hides the numbers of the others
@example(kind="ios-xe", seed=199, share=50)  # a remark goes, and the numbers have to come back
@example(kind="7200-12.2T", seed=1036, share=32)  # a policy is bound that was edited unbound
@example(
    kind="12000", seed=1065, share=5
)  # a list changes under two policies that an interface moves between
@example(kind="7200-12.3T", seed=38956, share=27)  # a list of nothing but a remark gets entries
@example(kind="7200-12.3T", seed=419623600, share=6)  # an entry goes, and a wider one lets the source in
@example(kind="7200-12.2T", seed=253330197707, share=50)  # a source comes to one list and goes with another
@example(kind="ios-xe", seed=835312135439, share=50)  # a source goes from one list and comes with another
@example(kind="7200-12.2T", seed=127211, share=67)  # lists that also deny, met before and afterwards
@example(kind="ios-xe", seed=790785578315, share=50)  # two policers change places
@example(
    kind="7200-12.2T", seed=419364432472668288, share=92
)  # a list beside a class that believes every mark
@example(kind="7200-12.2T", seed=2997934097488448209, share=50)  # a wider entry in the list of an inner class
@example(kind="7200-12.2T", seed=17120061299450971194, share=50)  # narrower entries beside one for everybody
def test_any_router_becomes_any_other_and_comes_back(kind, seed, share):
    rng = Random(seed)
    one = made(rng)
    other = edited(one, rng) if rng.random() < 0.7 else made(rng)
    oracle, running = holding(kind, one)
    wanted = holding(kind, other)[1]
    profile = profile_of(kind)
    found = diff_configs(running, wanted, RENDERER, profile, bandwidths=BANDWIDTHS)
    assert found.conflicts == ()
    by_its_own_name(running, wanted, found.result)
    states = (running, *simulate(running, found.commands, profile))
    assert alike(states[-1]) == alike(found.result)
    safe(running, found, roles_of(running, wanted), profile)
    cut = len(found.commands) * share // 100
    assert oracle.send(found.commands[:cut]) == []
    middle = oracle.read()
    assert alike(middle) == alike(states[cut])
    again = diff_configs(middle, wanted, RENDERER, profile, bandwidths=BANDWIDTHS)
    assert again.conflicts == ()
    assert oracle.send(again.commands) == []
    reached = oracle.read()
    assert alike(reached) == alike(again.result)
    assert diff_configs(reached, wanted, RENDERER, profile).empty
    assert oracle.send(again.rollback) == []
    assert alike(oracle.read()) == alike(middle)


def by_its_own_name(running, wanted, result):
    """Names that read like versions of others are names like any other."""
    before, after, named = store_of(running), store_of(result), store_of(wanted)
    assert after.keys() == before.keys() | named.keys()
    assert all(same(after[key], thing) for key, thing in named.items())
    assert all(after[key] == held for key, held in before.items() if key not in named)
    assert wanted.bindings <= result.bindings


def safe(running, found, roles, profile):
    gaps = frozenset(gap.after_line for gap in found.gaps)
    states = check(running, found.commands, roles, gap_lines=gaps, bandwidths=BANDWIDTHS, profile=profile)
    assert [f"{state.line}: {text}" for state in states for text in state.violations] == []
