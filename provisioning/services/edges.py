"""Where EF could enter unauthorised: open edges by router, an unread router counting as one (D4.4.2v2 section 2.6)."""

from __future__ import annotations

from provisioning.pipeline import safety
from provisioning.pipeline.intent import Role, RouterIntent, interface_key, link_names, names_for
from provisioning.pipeline.mqc import RunningConfig, base_name
from provisioning.pipeline.scheme import NON_PARTICIPANT
from provisioning.services.intents import Wanted
from provisioning.services.reading import Reading, Unread


def edges_of(reading: Reading | Unread, wanted: Wanted) -> list[dict[str, str]]:
    """Return the open edges a reading shows as {router, interface, reason}; the whole router when it is unread."""
    if isinstance(reading, Unread):
        return [
            {
                "router": reading.router,
                "interface": "every interface",
                "reason": f"not read: {reading.reason}",
            }
        ]
    return open_edges(reading.router, reading.config, wanted)


def open_edges(router: str, config: RunningConfig, wanted: Wanted) -> list[dict[str, str]]:
    """Return the open edges of a router that holds `config`.

    An interface that carries another policy than the intended one is open, unless that policy lets no EF in: a
    reservation that waits to be put on opens nothing.
    """
    intent = wanted.intents[router]
    numbers = {entry.key: intent.suffixes.get(entry.link) for entry in intent.interfaces}
    bound = {
        interface_key(binding.interface, binding.pvc): {binding.policy, base_name(binding.policy)[0]}
        for binding in config.bindings
        if binding.direction == "input"
    }
    expected = {
        interface_key(binding.interface, binding.pvc): binding.policy
        for binding in intent.bindings
        if binding.direction == "input"
    }
    return [
        {"router": router, "interface": edge.interface, "reason": edge.reason}
        for edge in safety.open_edges(
            config,
            intent.roles,
            expected={
                key: policy
                for key, policy in expected.items()
                if not _closed(wanted, router, numbers.get(key)) & bound.get(key, set())
            },
            exempt=wanted.exempt[router],
            premium=intent.markings.premium,
            allowed=intent.markings.allowed,
            unpoliced_excepted=intent.markings.unpoliced_excepted,
        )
    ]


def _closed(wanted: Wanted, router: str, number: int | None) -> frozenset[str]:
    """The names of the policies that let no EF in, as the edge of that number has them, with an option on and off."""
    found: set[str] = set()
    for name in wanted.scheme.case_choices[NON_PARTICIPANT].all_names:
        found |= names_for(wanted.adopted.get(router, ()), ("policy-map", name))
        if number is not None:
            found.add(link_names(number).of(name))
    return frozenset(found)


def core_is_live(config: RunningConfig, intent: RouterIntent) -> bool:
    """Whether a policy is bound outbound on a core interface: then an open edge is an alarm."""
    core = {entry.interface for entry in intent.interfaces if entry.role is Role.CORE}
    return any(binding.direction == "output" and binding.interface in core for binding in config.bindings)
