"""What one router must hold, as values: objects by BASE name, bindings, and the interfaces that are managed."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from types import MappingProxyType

from provisioning.pipeline.mqc import AccessList, Binding, ClassMap, PolicyMap, digest


class Role(StrEnum):
    """What an interface is to the DiffServ domain; decides what its policy has to do."""

    ACCESS = "access"
    PEERING = "peering"
    CORE = "core"


@dataclass(frozen=True, slots=True, order=True)
class ManagedInterface:
    """An interface (or a PVC of it) the inventory knows; `link` is the id of the link that ends there."""

    interface: str
    pvc: str | None
    role: Role
    link: str

    @property
    def key(self) -> str:
        """The interface as a person writes it: "POS1/0" or "ATM2/0.1 pvc 0/32"."""
        return interface_key(self.interface, self.pvc)


def interface_key(interface: str, pvc: str | None) -> str:
    """The one spelling of (interface, PVC) used as a key and shown to people."""
    return interface if pvc is None else f"{interface} pvc {pvc}"


@dataclass(frozen=True)
class Markings:
    """The DSCPs of the scheme, as far as an edge is judged by them (6NET: D4.4.2v2 table 1).

    `premium` may enter only authorised and policed, `allowed` may enter at all. `unpoliced_excepted` when the scheme
    declares that premium traffic is not policed: a plan says so, and an edge is not open for it.
    """

    premium: frozenset[int] = frozenset({46})
    allowed: frozenset[int] = frozenset({0, 8, 46})
    unpoliced_excepted: bool = False


@dataclass(frozen=True)
class RouterIntent:
    """All that Expedite wants on one router.

    Names are BASE names: which version carries them on the router is the diff's business. `suffixes` says which
    number each filtered link's own objects carry; whoever stores the intent stores them with the link.
    """

    router: str
    access_lists: tuple[AccessList, ...] = ()
    class_maps: tuple[ClassMap, ...] = ()
    policy_maps: tuple[PolicyMap, ...] = ()
    bindings: frozenset[Binding] = frozenset()
    interfaces: tuple[ManagedInterface, ...] = ()
    suffixes: Mapping[str, int] = field(default_factory=dict)
    warnings: tuple[str, ...] = ()
    markings: Markings = Markings()

    def __post_init__(self) -> None:
        object.__setattr__(self, "bindings", frozenset(self.bindings))
        object.__setattr__(self, "suffixes", MappingProxyType(dict(sorted(self.suffixes.items()))))

    @property
    def managed(self) -> frozenset[str]:
        """Names of the interfaces that are access, peering or core here."""
        return frozenset(entry.interface for entry in self.interfaces)

    @property
    def roles(self) -> Mapping[str, Role]:
        """Role by interface key ("POS1/0", "ATM2/0.1 pvc 0/32")."""
        return {entry.key: entry.role for entry in self.interfaces}

    def objects(self) -> Iterator[AccessList | ClassMap | PolicyMap]:
        """Every object, in the order it has to exist on the router: a policy inside a class before the one around it."""
        yield from self.access_lists
        yield from self.class_maps
        waiting = {policy.name: policy for policy in self.policy_maps}
        while waiting:
            ready = [
                policy
                for policy in waiting.values()
                if not (policy.children - {policy.name}) & waiting.keys()
            ]
            for policy in ready or list(waiting.values()):
                yield waiting.pop(policy.name)

    @property
    def revision(self) -> str:
        """sha256 (hex) over everything that is wanted; equal intents have equal revisions."""
        wanted: list[object] = [*self.objects(), *self.bindings]
        return digest([digest(wanted), *(f"{entry.role} {entry.key}" for entry in self.interfaces)])


def removal(intent: RouterIntent) -> RouterIntent:
    """The intent that takes everything of `intent` off again: the same interfaces, nothing on them."""
    return RouterIntent(
        router=intent.router,
        interfaces=intent.interfaces,
        suffixes=intent.suffixes,
        markings=intent.markings,
    )
