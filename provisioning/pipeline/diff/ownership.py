"""Whose an object is: a row says so, never a name (architecture.md, Promises)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from types import MappingProxyType

from provisioning.pipeline.diff.store import Key


@dataclass(frozen=True)
class Owned:
    """What the ownership rows of one router say.

    `objects` maps (kind, name) to the digest last seen in order; kinds are "access-list", "class-map" and
    "policy-map". `in_flight` maps (kind, name) to the digests an unfinished push of ours can have left there
    (`ChangePlan.in_flight`): such content is half-made by us, not edited by somebody else. An empty set says that
    any content may be ours, for when even an undo was cut off.
    """

    objects: Mapping[Key, str] = field(default_factory=dict)
    in_flight: Mapping[Key, frozenset[str]] = field(default_factory=dict)

    def __post_init__(self) -> None:
        object.__setattr__(self, "objects", MappingProxyType(dict(sorted(self.objects.items()))))
        object.__setattr__(self, "in_flight", MappingProxyType(dict(sorted(self.in_flight.items()))))

    def has(self, key: Key) -> bool:
        """Whether a row, or a push under way, claims the object."""
        return key in self.objects or key in self.in_flight

    def expects(self, key: Key, digest: str) -> bool:
        """Whether content of that digest is what we last saw or can have left ourselves."""
        if self.objects.get(key) == digest:
            return True
        left = self.in_flight.get(key)
        return left is not None and (not left or digest in left)


NOTHING = Owned()
