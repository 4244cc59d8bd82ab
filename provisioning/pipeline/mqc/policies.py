"""policy-map and the binding of one to an interface (D4.4.2v2 Appendix A; ios-facts N24-N29)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final, TypeVar

from provisioning.errors import InvalidInput
from provisioning.pipeline.mqc.actions import Action, ChildPolicy, OpaqueAction, Priority, SetField
from provisioning.pipeline.mqc.names import checked_name, one_line
from provisioning.pipeline.mqc.police import Police

CLASS_DEFAULT: Final = "class-default"
TIES: Final = ("fragment", "service-fragment")
"""Words behind a class's name that tie its queue to those of other policies (ASR1000, "QoS: Policies Aggregation")."""
_A = TypeVar("_A")


@dataclass(frozen=True, slots=True)
class PolicyClass:
    """What a policy-map does with one class. The order of actions is not part of it (ios-facts N24).

    The name is one word, or ``service-fragment NAME`` (IOS-XE on an ASR1000). Raises InvalidInput.
    """

    name: str
    actions: frozenset[Action] = frozenset()

    def __post_init__(self) -> None:
        checked_name(self.name.removeprefix("service-fragment "), "class")
        object.__setattr__(self, "actions", frozenset(self.actions))

    def _only(self, kind: type[_A]) -> _A | None:
        for action in self.actions:
            if isinstance(action, kind):
                return action
        return None

    @property
    def police(self) -> Police | None:
        """The policer of the class, if it has one."""
        return self._only(Police)

    @property
    def priority(self) -> Priority | None:
        """The strict priority of the class, if it has one."""
        return self._only(Priority)

    @property
    def child(self) -> str | None:
        """The name of the child policy, if there is one."""
        found = self._only(ChildPolicy)
        return found.name if found else None

    @property
    def tie(self) -> OpaqueAction | None:
        """``fragment NAME`` or ``service-fragment NAME``: said with the name of the class, not among its lines."""
        for action in self.actions:
            if isinstance(action, OpaqueAction) and action.text.startswith(TIES):
                return action
        return None

    @property
    def set_fields(self) -> tuple[SetField, ...]:
        """The fields the class marks, by field name."""
        return tuple(sorted((a for a in self.actions if isinstance(a, SetField)), key=lambda a: a.field))


@dataclass(frozen=True, slots=True)
class PolicyMap:
    """One policy-map. The order of classes is part of it: the first match wins (ios-facts N26).

    class-default is always last, and an empty one is the same as none. Raises InvalidInput when a class is
    named twice.
    """

    name: str
    classes: tuple[PolicyClass, ...] = ()
    description: str = ""
    other_lines: frozenset[str] = frozenset()

    def __post_init__(self) -> None:
        checked_name(self.name, "policy-map")
        names = [entry.name for entry in self.classes]
        if len(set(names)) != len(names):
            raise InvalidInput(f"{self.name} names a class twice", field="policy-map")
        last = tuple(entry for entry in self.classes if entry.name == CLASS_DEFAULT and entry.actions)
        rest = tuple(entry for entry in self.classes if entry.name != CLASS_DEFAULT)
        object.__setattr__(self, "classes", rest + last)
        object.__setattr__(self, "description", one_line(self.description, "description"))
        object.__setattr__(
            self, "other_lines", frozenset(one_line(line, "policy-map") for line in self.other_lines)
        )

    def find(self, class_name: str) -> PolicyClass | None:
        """The entry of that class, or None."""
        return next((entry for entry in self.classes if entry.name == class_name), None)

    @property
    def children(self) -> frozenset[str]:
        """Names of the policies bound inside classes."""
        return frozenset(
            action.name
            for entry in self.classes
            for action in entry.actions
            if isinstance(action, ChildPolicy)
        )


@dataclass(frozen=True, slots=True, order=True)
class Binding:
    """A ``service-policy`` bound to an interface, or to an ATM PVC of it (``pvc`` "vpi/vci"); direction as
    the router sees it: ``input`` or ``output``. Raises InvalidInput.
    """

    interface: str
    pvc: str | None
    direction: str
    policy: str

    def __post_init__(self) -> None:
        checked_name(self.interface, "interface")
        checked_name(self.policy, "service-policy")
        if self.pvc is not None:
            checked_name(self.pvc, "pvc")
        if self.direction not in ("input", "output"):
            raise InvalidInput(f"{self.direction!r} is neither input nor output", field="service-policy")
