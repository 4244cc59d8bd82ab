"""Every scheme that ships: a router that holds its policies under other names is adopted as it is."""

from __future__ import annotations

import dataclasses

import pytest

from provisioning.errors import InvalidInput
from provisioning.pipeline import intent
from provisioning.pipeline.adoption import Verdict, adopt
from provisioning.pipeline.mqc.referring import kind_of
from provisioning.selectors.schemes import load_scheme, scheme_names
from tests.pipeline.adoption.handmade import RENDERER, renamed, running_of, text_of
from tests.pipeline.practice import BANDWIDTHS, KINDS, profile_of
from tests.pipeline.worlds import World, reservation

PORTS = ("ALPHA", "BETA", "DELTA", "GAMMA")


def world_of(scheme) -> World:
    cases = tuple(
        zip(PORTS, (*sorted(scheme.cases), *sorted(scheme.cases)), (True,) * len(PORTS), strict=False)
    )
    return World(
        cases=cases,
    )


@pytest.mark.parametrize("kind", sorted(KINDS))
@pytest.mark.parametrize("name", scheme_names())
def test_a_router_under_any_scheme_is_adopted_under_its_own_names(name: str, kind: str):
    scheme = load_scheme(name)
    network = world_of(scheme).network(kind)
    try:
        wanted = intent.build(network, scheme, "r1", profile_of(kind), [])
    except InvalidInput as error:
        pytest.skip(f"{name} does not run on {kind}: {error.reason}")
    names = {(kind_of(thing), thing.name): f"hand-{at}" for at, thing in enumerate(wanted.objects())}
    running = running_of(kind, text_of(renamed(wanted, names), kind))
    found = adopt(running, network, scheme, "r1", profile_of(kind), RENDERER, bandwidths=BANDWIDTHS)
    told = [(each.key, each.verdict, [str(one) for one in each.differences]) for each in found.places]
    assert {each.verdict for each in found.places} == {Verdict.RECOGNISED}, told
    assert found.cases == {}
    assert found.proof.empty, found.proof
    assert {(each.kind, each.base): each.name for each in found.names} == names


def test_a_change_inside_a_policy_of_a_class_is_found_there():
    scheme, kind = load_scheme("enst"), "7200-hqf"
    network = world_of(scheme).network(kind)
    wanted = intent.build(network, scheme, "r1", profile_of(kind), [])
    text = text_of(wanted, kind)
    assert " random-detect dscp 12 6 12" in text
    running = running_of(kind, text.replace(" random-detect dscp 12 6 12", " random-detect dscp 12 2 12"))
    found = adopt(running, network, scheme, "r1", profile_of(kind), RENDERER, bandwidths=BANDWIDTHS)
    (place,) = [each for each in found.places if each.direction == "output" and each.role is not None]
    assert place.verdict is Verdict.DIFFERENT
    assert any("random-detect dscp 12 2 12" in str(each) for each in place.differences), place.differences


def test_a_list_grants_the_class_that_its_class_marks():
    scheme, kind = load_scheme("grnet"), "7200-hqf"
    world = world_of(scheme)
    network = world.network(kind)
    link = next(each for each in network.access_links if each.case == "filtered")
    asked = [
        dataclasses.replace(
            reservation(name, link.id, f"2001:db8:{name}::/48", "2001:db8:f::/48"), service_class=service
        )
        for name, service in (("a", "virtual-wire"), ("b", "voip"))
    ]
    wanted = intent.build(network, scheme, "r1", profile_of(kind), asked)
    names = {(kind_of(thing), thing.name): f"hand-{at}" for at, thing in enumerate(wanted.objects())}
    running = running_of(kind, text_of(renamed(wanted, names), kind))
    found = adopt(running, network, scheme, "r1", profile_of(kind), RENDERER, bandwidths=BANDWIDTHS)
    grants = {
        grant.source: grant.sls.service_class for place in found.places for grant in place.grants if grant.sls
    }
    assert grants == {"2001:db8:a::/48": "virtual-wire", "2001:db8:b::/48": "voip"}
    assert found.proof.empty, found.proof


@pytest.mark.parametrize(("burst", "bucket_bytes"), [(" bc 40000", 40_000), ("", 31_250)])
def test_a_policer_of_a_customer_s_own_rate_is_a_grant_to_whoever_marks(burst: str, bucket_bytes: int):
    """With `policer: grants`; the bucket that is not written is the one IOS takes for the rate (ios-facts N15)."""
    scheme, kind = dataclasses.replace(load_scheme("6net"), policer="grants"), "7200-hqf"
    network = world_of(scheme).network(kind)
    (link,) = [each for each in network.access_links if each.case == "trusted"]
    network = dataclasses.replace(network, access_links=(link,), peerings=())
    text = text_of(intent.build(network, scheme, "r1", profile_of(kind), []), kind)
    (policy,) = [line.split()[-1] for line in text.splitlines() if "service-policy input" in line]
    assert f"policy-map {policy}\n class EF\n  set dscp 0\n" in text, "without a grant nothing is let in"
    police = f"police cir 1000000{burst} conform-action transmit exceed-action drop"
    running = running_of(
        kind, text.replace(f"{policy}\n class EF\n  set dscp 0", f"{policy}\n class EF\n  {police}")
    )
    found = adopt(running, network, scheme, "r1", profile_of(kind), RENDERER, bandwidths=BANDWIDTHS)
    (place,) = [each for each in found.places if each.direction == "input"]
    assert (place.verdict, place.case) == (Verdict.RECOGNISED, "trusted"), place.differences
    assert found.proof.empty, found.proof
    (grant,) = place.grants
    assert (grant.access_list, grant.entry, grant.sls) == ("", "class EF", None)
    assert (grant.counted_bps, grant.bucket_bytes) == (1_000_000, bucket_bytes)
    assert found.grants == 1, "re-rendering changes nothing only once reservations come to that"
