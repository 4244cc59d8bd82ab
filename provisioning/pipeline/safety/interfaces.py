"""The state of interfaces in a config: who marks, who polices EF and at what rate, who is queued first."""

from __future__ import annotations

from collections.abc import Mapping

from provisioning.pipeline.intent import Role
from provisioning.pipeline.mqc import PolicyMap, RunningConfig
from provisioning.pipeline.mqc.referring import Key
from provisioning.pipeline.safety.entering import ALLOWED_DSCPS, PREMIUM, Entering, entering
from provisioning.pipeline.safety.holdings import Held, Holdings
from provisioning.pipeline.safety.packets import deciding
from provisioning.pipeline.safety.states import InterfaceQos

NOT_HERE = "-"


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
    return dict(InterfaceStates(Holdings(config), roles, premium, allowed).now)


class InterfaceStates:
    """The states of the interfaces of one router in `now`, while what it holds changes: what no change has touched is not
    worked out again.
    """

    def __init__(
        self, held: Holdings, roles: Mapping[str, Role], premium: frozenset[int], allowed: frozenset[int]
    ) -> None:
        self._held = held
        self._roles = dict(sorted(roles.items()))
        self._premium, self._allowed = premium, allowed
        self._place = {key: split_key(key) for key in self._roles}
        self._number = {key: number for number, key in enumerate(self._roles)}
        self._key = {place: key for key, place in self._place.items()}
        # What each policy does, the names of all that decides it, and which policies those decide.
        self._done: dict[str, tuple[Entering, bool]] = {}
        self._asked: dict[str, frozenset[Key]] = {}
        self._deciding: dict[Key, set[str]] = {}
        self._bound_at: dict[str, set[str]] = {}
        for (interface, pvc, _), policy in held.bound.items():
            key = self._key.get((interface, pvc))
            if key is not None:
                self._bound_at.setdefault(policy, set()).add(key)
        self._nothing = entering(held, None, premium, allowed)
        held.settle()
        self.now = {key: self._state(key) for key in self._roles}

    def follow(self) -> dict[str, InterfaceQos]:
        """The states that changed since this was last asked, in the order of their keys; `now` holds them from then on."""
        touched, moved = self._held.settle()
        policies = {policy for each in touched for policy in self._deciding.get(each, ())}
        keys = {key for policy in policies for key in self._bound_at.get(policy, ())}
        for policy in policies:
            del self._done[policy]
            for each in self._asked.pop(policy):
                self._deciding[each].discard(policy)
        for interface, pvc, direction in moved:
            key = self._key.get((interface, pvc))
            if key is not None:
                keys.add(key)
                bound = self._held.bound.get((interface, pvc, direction))
                if bound is not None:
                    self._bound_at.setdefault(bound, set()).add(key)
        fresh = {key: self._state(key) for key in sorted(keys, key=self._number.__getitem__)}
        changed = {key: state for key, state in fresh.items() if state != self.now[key]}
        self.now.update(fresh)
        return changed

    def _state(self, key: str) -> InterfaceQos:
        interface, pvc = self._place[key]
        role = self._roles[key]
        name_in, name_out = (self._held.bound.get((interface, pvc, way)) for way in ("input", "output"))
        ef_queue = name_out is not None and self._does(name_out)[1]
        if role is Role.CORE:
            return InterfaceQos(interface, pvc, role, name_in, name_out, None, NOT_HERE, False, ef_queue, ())
        found = self._nothing if name_in is None else self._does(name_in)[0]
        return InterfaceQos(
            interface,
            pvc,
            role,
            name_in,
            name_out,
            found.marker,
            found.ef_rate,
            found.remarks_rest,
            ef_queue,
            found.authorised,
            found.partial,
            found.exempted,
            found.lists,
            found.kept,
        )

    def _does(self, name: str) -> tuple[Entering, bool]:
        """What a policy of that name lets in, and whether it queues EF first."""
        if name not in self._done:
            policy = self._held.policy_maps.get(name)
            self._done[name] = (
                entering(self._held, policy, self._premium, self._allowed),
                _queues_first(self._held, policy),
            )
            self._asked[name] = frozenset(deciding(self._held, name))
            for each in self._asked[name]:
                self._deciding.setdefault(each, set()).add(name)
        return self._done[name]


def _queues_first(config: Held, policy: PolicyMap | None, depth: int = 0) -> bool:
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
