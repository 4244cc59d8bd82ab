"""Interfaces that stay when their link goes: nobody may be let in there, as their router was last read.

Once a link is out of the network no plan looks at its interface, and one that is exempt is no open edge: a policy that
authorises somebody, or none at all, would stand there for ever and nobody be told (D4.4.2v2 section 2.6).
"""

from __future__ import annotations

from inventory.models import Interface, Router
from provisioning.errors import InvalidInput, ParseFailure
from provisioning.models import AdoptedName, ConfigSnapshot, RouterSync, SyncState
from provisioning.pipeline import ios, safety
from provisioning.pipeline.mqc import RunningConfig
from provisioning.pipeline.platforms import profile
from provisioning.pipeline.scheme import NON_PARTICIPANT
from provisioning.selectors.schemes import scheme_of

_UNUSED = "is not in the inventory and "


def not_known(router: Router) -> str:
    """Why nobody knows what a router holds now; empty where its last reading says it."""
    state = RouterSync.objects.filter(router=router).values_list("state", flat=True).first()
    if state is None or _last(router) is None:
        return "it was never read"
    return "it could not be read last" if state == SyncState.UNKNOWN else ""


def open_at(interface: Interface, *, closed: bool) -> list[str]:
    """What lets somebody in at an interface that no link is on any more, as its router was last read; empty where nothing does.

    With ``closed`` any policy but NON-PARTICIPANT does: what a link's own policy lets in follows from who is authorised there.
    """
    router = interface.router
    snapshot = _last(router)
    if snapshot is None:
        return []
    try:
        config = ios.parse(snapshot.text, profile(router.platform, router.ios))
    except (ParseFailure, InvalidInput) as error:
        return [f"not to be read: {error.reason}"]
    return (_other_policies(interface, config) if closed else []) or _edges(interface, config)


def _last(router: Router) -> ConfigSnapshot | None:
    return ConfigSnapshot.objects.filter(router=router).order_by("-pk").first()


def _other_policies(interface: Interface, config: RunningConfig) -> list[str]:
    router = interface.router
    base = scheme_of(router.domain).cases[NON_PARTICIPANT]
    adopted = set(AdoptedName.objects.filter(router=router, base=base).values_list("name", flat=True))
    return sorted(
        each.policy
        for each in config.bindings
        if each.interface == interface.name
        and each.direction == "input"
        and not (each.policy == base or each.policy.startswith(f"{base}-") or each.policy in adopted)
    )


def _edges(interface: Interface, config: RunningConfig) -> list[str]:
    """As an interface that is in no use and not exempt; one that is shut, or is not on the router, is none."""
    scheme = scheme_of(interface.router.domain)
    return [
        f"{each.interface} {each.reason.removeprefix(_UNUSED)}"
        for each in safety.open_edges(config, {}, premium=scheme.premium_dscps, allowed=scheme.allowed_dscps)
        if each.interface.partition(" ")[0] == interface.name
    ]
