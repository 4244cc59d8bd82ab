"""A configuration as what is wanted of a router, and as what is ours on it."""

from __future__ import annotations

from provisioning.pipeline.diff import Owned, digest_of
from provisioning.pipeline.diff.store import store_of
from provisioning.pipeline.intent import ManagedInterface, RouterIntent
from provisioning.pipeline.mqc import RunningConfig


def intent_of(read: RunningConfig, *managed: ManagedInterface, router: str = "r1") -> RouterIntent:
    """The intent of exactly these objects and bindings, on the interfaces that are managed."""
    return RouterIntent(
        router,
        tuple(read.access_lists.values()),
        tuple(read.class_maps.values()),
        tuple(read.policy_maps.values()),
        read.bindings,
        managed,
    )


def everything_of(read: RunningConfig) -> Owned:
    """Ownership rows for every object there is."""
    return Owned({key: digest_of(thing) for key, thing in store_of(read).items()})
