"""The only printer of IOS there is: MQC objects through templates, one per object, to lines."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import TYPE_CHECKING, Any

from provisioning.pipeline.mqc import (
    AccessEntry,
    AccessList,
    Action,
    Binding,
    ClassMap,
    Match,
    PolicyClass,
    PolicyMap,
)
from provisioning.pipeline.platforms import Profile
from provisioning.pipeline.rendering import words
from provisioning.pipeline.rendering.views import action_position, action_view, match_view

if TYPE_CHECKING:
    from jinja2 import Environment, Template

MqcObject = AccessList | ClassMap | PolicyMap | Binding


class Renderer:
    """Prints objects for one platform.

    A template is looked for under the profile's name first, then at the top: a platform has a file of its own only
    where it differs. Every value is checked before a template sees it (`rendering.words`): whatever could become a
    second line raises InvalidInput. The environment may be what makes one, which is asked when there is something to print.
    """

    def __init__(
        self, environment: Environment | Callable[[], Environment], profile: Profile | None = None
    ) -> None:
        self._environment = environment
        self._profile = profile
        self._templates: dict[tuple[str, str], Template] = {}

    def lines(self, thing: MqcObject, profile: Profile | None = None) -> tuple[str, ...]:
        """Return the lines that make `thing` on an empty router, indented one blank a level."""
        match thing:
            case AccessList():
                name = "ipv6_access_list" if thing.family == 6 else "ipv4_access_list"
                values = self._access_list(thing, profile)
            case ClassMap():
                name, values = "class_map", self._class_map(thing, profile)
            case PolicyMap():
                name, values = "policy_map", self._policy_map(thing, profile)
            case Binding():
                name, values = "service_policy", _binding(thing)
        return self._print(name, values, profile)

    def text(self, thing: MqcObject, profile: Profile | None = None) -> str:
        """Return `lines` as one text that ends in a newline."""
        return "".join(f"{line}\n" for line in self.lines(thing, profile))

    def document(self, things: Iterable[MqcObject], profile: Profile | None = None) -> str:
        """Return all of them in the order given, a lone `!` after each, as running-configs are read by people."""
        return "".join(f"{self.text(thing, profile)}!\n" for thing in things)

    def match_line(self, match: Match, profile: Profile | None = None) -> str:
        """Return the one `match` line of a class-map, without indentation."""
        return self._print("match", match_view(match), profile)[0]

    def action_lines(self, action: Action, profile: Profile | None = None) -> tuple[str, ...]:
        """Return the line of an action (WRED with thresholds has several), without indentation."""
        known = profile or self._profile
        name, values = action_view(action, bare_police=known is not None and not known.police_percent)
        return self._print(name, values, profile)

    def class_lines(self, entry: PolicyClass, profile: Profile | None = None) -> tuple[str, ...]:
        """Return the action lines of a class, without its header, in the order they are sent."""
        actions = sorted(entry.actions - {entry.tie}, key=action_position)
        return tuple(line for action in actions for line in self.action_lines(action, profile))

    def entry_line(self, access_list: AccessList, entry: AccessEntry, profile: Profile | None = None) -> str:
        """Return one entry as it is typed inside its list; an IPv6 entry with its `sequence`."""
        sequence = entry.sequence if access_list.family == 6 else None
        text = words.one_line(entry.text, field="access-list")
        return self._print("access_entry", {"sequence": sequence, "text": text}, profile)[0]

    def _access_list(self, thing: AccessList, profile: Profile | None) -> Mapping[str, Any]:
        return {
            "name": words.name(thing.name, field="access-list"),
            "standard": thing.standard,
            "entries": [self.entry_line(thing, entry, profile) for entry in thing.entries],
        }

    def _class_map(self, thing: ClassMap, profile: Profile | None) -> Mapping[str, Any]:
        return {
            "name": words.name(thing.name, field="class-map"),
            "mode": thing.mode,
            "description": words.one_line(thing.description, field="description"),
            "matches": sorted(self.match_line(match, profile) for match in thing.matches),
            "other_lines": [words.one_line(line, field="class-map") for line in sorted(thing.other_lines)],
        }

    def _policy_map(self, thing: PolicyMap, profile: Profile | None) -> Mapping[str, Any]:
        return {
            "name": words.name(thing.name, field="policy-map"),
            "description": words.one_line(thing.description, field="description"),
            "classes": [
                {"name": _class_name(entry), "actions": self.class_lines(entry, profile)}
                for entry in thing.classes
            ],
            "other_lines": [words.one_line(line, field="policy-map") for line in sorted(thing.other_lines)],
        }

    def _print(self, name: str, values: Mapping[str, Any], profile: Profile | None) -> tuple[str, ...]:
        text = self._template(name, profile or self._profile).render(values)
        return tuple(line.rstrip() for line in text.split("\n") if line.strip())

    def _template(self, name: str, profile: Profile | None) -> Template:
        platform = "" if profile is None else profile.name
        found = self._templates.get((platform, name))
        if found is None:
            choices = [f"{platform}/{name}.j2"] if platform else []
            environment = self._environment() if callable(self._environment) else self._environment
            found = environment.select_template([*choices, f"{name}.j2"])
            self._templates[(platform, name)] = found
        return found


def _class_name(entry: PolicyClass) -> str:
    """What stands behind `class`: one name, or more words where queues are tied together."""
    named = [*entry.name.split(" "), *(entry.tie.text.split(" ") if entry.tie else ())]
    return " ".join(words.name(word, field="class") for word in named)


def _binding(thing: Binding) -> Mapping[str, Any]:
    return {
        "interface": words.interface(thing.interface),
        "pvc": None if thing.pvc is None else words.pvc(thing.pvc),
        "direction": thing.direction,
        "policy": words.name(thing.policy, field="service-policy"),
    }
