"""Routers somebody configured by hand: the intended objects under other names, typed in another order."""

from __future__ import annotations

import dataclasses
import random
from collections.abc import Iterable, Mapping

from provisioning.pipeline.adoption import RouterAdoption, adopt
from provisioning.pipeline.intent import RouterIntent
from provisioning.pipeline.mqc import AccessList, ClassMap, PolicyMap, RunningConfig
from provisioning.pipeline.mqc.referring import Key, kind_of, referring
from provisioning.pipeline.rendering import Renderer
from provisioning.pipeline.sls import Sls
from provisioning.selectors.templates import shared_ios_environment
from tests.pipeline.practice import BANDWIDTHS, Oracle, profile_of
from tests.pipeline.worlds import World

RENDERER = Renderer(shared_ios_environment())


def renamed(wanted: RouterIntent, names: Mapping[Key, str]) -> RouterIntent:
    """The same objects under other names, by a renaming of the tests' own."""

    def other(key: Key) -> str:
        return names.get(key, key[1])

    things = [
        dataclasses.replace(referring(thing, other), name=other((kind_of(thing), thing.name)))
        for thing in wanted.objects()
    ]
    return dataclasses.replace(
        wanted,
        access_lists=tuple(thing for thing in things if isinstance(thing, AccessList)),
        class_maps=tuple(thing for thing in things if isinstance(thing, ClassMap)),
        policy_maps=tuple(thing for thing in things if isinstance(thing, PolicyMap)),
        bindings=frozenset(
            dataclasses.replace(bound, policy=other(("policy-map", bound.policy)))
            for bound in wanted.bindings
        ),
    )


def text_of(wanted: RouterIntent, kind: str, shuffle: random.Random | None = None) -> str:
    """What somebody would type; with `shuffle` in any order in which IOS takes it and that says the same."""
    platform = profile_of(kind)
    parts = []
    children = {name for policy in wanted.policy_maps for name in policy.children}
    for group in (
        wanted.access_lists,
        wanted.class_maps,
        [policy for policy in wanted.policy_maps if policy.name in children],
        [policy for policy in wanted.policy_maps if policy.name not in children],
    ):
        things = list(group)
        if shuffle is not None:
            shuffle.shuffle(things)
            things = [_shuffled(thing, shuffle) for thing in things]
        parts += [RENDERER.text(thing, platform) for thing in things]
    parts += [RENDERER.text(bound, platform) for bound in sorted(wanted.bindings, key=repr)]
    return "".join(parts)


def _shuffled(
    thing: AccessList | ClassMap | PolicyMap, shuffle: random.Random
) -> AccessList | ClassMap | PolicyMap:
    """Another order of what has none: the entries of a list that only permits."""
    if not isinstance(thing, AccessList) or any(entry.action != "permit" for entry in thing.entries):
        return thing
    texts = [entry.text for entry in thing.entries]
    shuffle.shuffle(texts)
    return AccessList.of(thing.name, thing.family, tuple(texts))


def running_of(kind: str, *texts: str) -> RunningConfig:
    """What a router of that kind shows after somebody typed the texts."""
    return Oracle(kind, "".join(texts)).read()


def adopted(
    world: World, kind: str, running: RunningConfig, reservations: Iterable[Sls] = (), **options: object
) -> RouterAdoption:
    return adopt(
        running,
        world.network(kind),
        world.scheme(),
        "r1",
        profile_of(kind),
        RENDERER,
        reservations=tuple(reservations),
        bandwidths=BANDWIDTHS,
        **options,
    )
