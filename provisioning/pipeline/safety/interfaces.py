"""The state of interfaces in a config: who marks, who polices EF and at what rate, who is queued first."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from provisioning.pipeline.intent import Role
from provisioning.pipeline.mqc import PolicyMap, RunningConfig
from provisioning.pipeline.safety.entering import ALLOWED_DSCPS, PREMIUM, Entering, entering
from provisioning.pipeline.safety.packets import lists_of, nested_classes
from provisioning.pipeline.safety.states import InterfaceQos

NOT_HERE = "-"

Place = tuple[str, str | None, str]


def interface_states(
    config: RunningConfig,
    roles: Mapping[str, Role],
    *,
    premium: frozenset[int] = PREMIUM,
    allowed: frozenset[int] = ALLOWED_DSCPS,
) -> dict[str, InterfaceQos]:
    """Return the state of every interface in `roles` (keys as "POS1/0" or "ATM2/0.1 pvc 0/32"), by the same key.

    `allowed` are the DSCPs that may enter the backbone; everything else has to leave as best effort.
    """
    return InterfaceStates(roles, premium, allowed).of(config)


class InterfaceStates:
    """The same for one config after another, as a plan is judged: what no line has touched is not worked out again."""

    def __init__(self, roles: Mapping[str, Role], premium: frozenset[int], allowed: frozenset[int]) -> None:
        self._roles = sorted(roles.items())
        self._premium, self._allowed = premium, allowed
        # By identity of all objects a policy's meaning depends on; the objects are kept so that none is taken for another.
        self._known: dict[tuple[int, ...], tuple[Entering, tuple[object, ...]]] = {}
        self._last: tuple[RunningConfig, dict[str, InterfaceQos]] | None = None

    def of(self, config: RunningConfig) -> dict[str, InterfaceQos]:
        """The state of every interface in `config`, by its key."""
        if self._last is None or self._last[0] is not config:
            bound = {(held.interface, held.pvc, held.direction): held.policy for held in config.bindings}
            states = {key: self._state(config, bound, key, role) for key, role in self._roles}
            self._last = config, states
        return self._last[1]

    def _state(self, config: RunningConfig, bound: Mapping[Place, str], key: str, role: Role) -> InterfaceQos:
        interface, pvc = split_key(key)
        name_in, name_out = bound.get((interface, pvc, "input")), bound.get((interface, pvc, "output"))
        policy_out = None if name_out is None else config.policy_maps.get(name_out)
        ef_queue = _queues_first(config, policy_out)
        if role is Role.CORE:
            return InterfaceQos(interface, pvc, role, name_in, name_out, None, NOT_HERE, False, ef_queue, ())
        policy_in = None if name_in is None else config.policy_maps.get(name_in)
        found = self._entering(config, policy_in)
        return InterfaceQos(
            *(
                interface,
                pvc,
                role,
                name_in,
                name_out,
                found.marker,
                found.ef_rate,
                found.remarks_rest,
                ef_queue,
            ),
            found.authorised,
            found.partial,
            found.exempted,
        )

    def _entering(self, config: RunningConfig, policy: PolicyMap | None) -> Entering:
        meaning = tuple(_meaning(config, policy))
        key = tuple(map(id, meaning))
        if key not in self._known:
            self._known[key] = entering(config, policy, self._premium, self._allowed), meaning
        return self._known[key][0]


def _meaning(config: RunningConfig, policy: PolicyMap | None, depth: int = 0) -> Iterator[object]:
    """Every object that decides what a policy does to a packet, in an order that depends on names only."""
    if policy is None or depth > 4:
        return
    yield policy
    for entry in policy.classes:
        yield from _of_class(config, entry.name, depth=0)
        if entry.child is not None:
            yield from _meaning(config, config.policy_maps.get(entry.child), depth + 1)


def _of_class(config: RunningConfig, name: str, depth: int) -> Iterator[object]:
    held = config.class_maps.get(name)
    yield held
    if held is None or depth > 4:
        return
    for listed in sorted(held.access_lists):
        yield from lists_of(config, listed)
        yield None
    for nested in sorted(nested_classes(held)):
        yield from _of_class(config, nested, depth + 1)


def _queues_first(config: RunningConfig, policy: PolicyMap | None, depth: int = 0) -> bool:
    """Whether a policy, or one inside it, has a priority queue."""
    if policy is None or depth > 4:
        return False
    if any(entry.priority is not None for entry in policy.classes):
        return True
    return any(_queues_first(config, config.policy_maps.get(name), depth + 1) for name in policy.children)


def split_key(key: str) -> tuple[str, str | None]:
    """(interface, PVC) of an interface key."""
    interface, _, pvc = key.partition(" pvc ")
    return interface, pvc or None
