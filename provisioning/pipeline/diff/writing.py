"""Single changes as lines: every line stands by itself, context first, never an `exit` (ios-facts 3.2)."""

from __future__ import annotations

import dataclasses
from functools import lru_cache

from provisioning.pipeline.diff.access_edits import AccessEdit
from provisioning.pipeline.diff.lines import Line, Step
from provisioning.pipeline.diff.policy_edits import PolicyEdit
from provisioning.pipeline.diff.store import MqcObject
from provisioning.pipeline.mqc import (
    AccessEntry,
    AccessList,
    Action,
    ClassMap,
    Police,
    PolicyMap,
    RandomDetect,
)
from provisioning.pipeline.platforms import Profile
from provisioning.pipeline.rendering import Renderer


class Writer:
    """Turns one change of one object into lines, printed by the renderer."""

    def __init__(self, renderer: Renderer, profile: Profile | None, *, restoring: bool = False) -> None:
        self.renderer = renderer
        self._profile = profile
        self._restoring = restoring

    def create(self, thing: MqcObject, step: Step) -> list[Line]:
        """All lines of an object."""
        return [_line(text, step) for text in _printed(self.renderer, self._typed(thing), self._profile)]

    def delete(self, thing: MqcObject, step: Step) -> list[Line]:
        """`no` and the object's name: for a class-map without its mode, which every train takes."""
        if isinstance(thing, ClassMap):
            return [Line(f"no class-map {thing.name}", step=step)]
        return [Line(f"no {self._header(thing)}", step=step)]

    def edit_access_list(self, current: AccessList, edited: AccessEdit, step: Step) -> list[Line]:
        """New entries, then old ones out; by sequence, or by their words where numbers are not known."""
        name = self._by_words if edited.by_words else self._by_sequence
        lines = [Line(self._header(current), step=step)]
        added = (name(current, entry) for entry in self._entries(edited.added))
        removed = (
            f"no {self._by_words(current, entry) if edited.by_words else f'sequence {entry.sequence}'}"
            for entry in edited.removed
        )
        return [*lines, *(Line(text, 1, step=step) for text in (*added, *removed))]

    def edit_class_map(self, old: ClassMap, new: ClassMap, step: Step) -> list[Line]:
        """New conditions, then old ones out, then the description."""
        lines = [Line(self._header(new), step=step)]
        added, removed = new.matches - old.matches, old.matches - new.matches
        lines += [
            Line(text, 1, step=step) for text in sorted(self.renderer.match_line(match) for match in added)
        ]
        lines += [
            Line(f"no {text}", 1, step=step)
            for text in sorted(self.renderer.match_line(match) for match in removed)
        ]
        if old.description != new.description:
            lines.append(Line(self._description(new), 1, step=step))
        return lines

    def police(self, policy: PolicyMap, class_name: str, police: Police, step: Step) -> list[Line]:
        """One policer typed over: IOS replaces it at once, no moment without one (ios-facts 2.8)."""
        (text,) = _printed_action(self.renderer, police, self._profile)
        return [
            Line(self._header(policy), step=step),
            Line(f"class {class_name}", 1, step=step),
            Line(text, 2, step=step),
        ]

    def edit_policy(self, old: PolicyMap, new: PolicyMap, edited: PolicyEdit, step: Step) -> list[Line]:
        """Classes out, then class by class what goes and what is typed over, while no packet meets the policy."""
        lines = [Line(self._header(new), step=step)]
        if old.description != new.description:
            lines.append(Line(self._description(new), 1, step=step))
        lines += [Line(f"no class {name}", 1, step=step) for name in edited.gone]
        for each in edited.classes:
            lines.append(Line(f"class {each.name}", 1, step=step))
            lines += [Line(f"no {self._named(action)}", 2, step=step) for action in each.removed]
            typed = (
                text
                for action in each.typed
                for text in _printed_action(self.renderer, action, self._profile)
            )
            lines += [Line(text, 2, step=step) for text in typed]
        return lines

    def _named(self, action: Action) -> str:
        """An action as `no` takes it: WRED as a whole, a policer without what it does to packets."""
        if isinstance(action, RandomDetect):
            return "random-detect"
        return _printed_action(self.renderer, action, self._profile)[0].partition(" conform-action")[0]

    def describe_policy(self, policy: PolicyMap, step: Step) -> list[Line]:
        """The description alone."""
        return [Line(self._header(policy), step=step), Line(self._description(policy), 1, step=step)]

    def _description(self, thing: ClassMap | PolicyMap) -> str:
        """As the renderer prints it: what no terminal takes is refused here too."""
        words = self._words(thing.description)
        if not words:
            return "no description"
        bare = PolicyMap(thing.name, description=words)
        return _printed(self.renderer, bare, self._profile)[1].lstrip(" ")

    def _words(self, description: str) -> str:
        return typeable(description) if self._restoring else description

    def _typed(self, thing: MqcObject) -> MqcObject:
        """An object that is put back: its description and remarks as far as a terminal takes them."""
        if isinstance(thing, AccessList):
            entries = self._entries(thing.entries)
            return thing if entries == thing.entries else dataclasses.replace(thing, entries=entries)
        if self._words(thing.description) == thing.description:
            return thing
        return dataclasses.replace(thing, description=self._words(thing.description))

    def _entries(self, entries: tuple[AccessEntry, ...]) -> tuple[AccessEntry, ...]:
        """Entries as they are typed; a remark of nothing but question marks is left out."""
        typed = (
            entry if entry.remark is None else dataclasses.replace(entry, text=self._words(entry.text))
            for entry in entries
        )
        return tuple(entry for entry in typed if entry.remark != "")

    def _header(self, thing: MqcObject) -> str:
        return _printed(self.renderer, _bare(thing), self._profile)[0]

    def _by_sequence(self, current: AccessList, entry: AccessEntry) -> str:
        return self.renderer.entry_line(current, entry, self._profile)

    def _by_words(self, current: AccessList, entry: AccessEntry) -> str:
        unnumbered_list = AccessList(current.name, 4, (), current.standard)
        return self.renderer.entry_line(unnumbered_list, entry, self._profile)


@lru_cache(maxsize=4096)
def _printed(renderer: Renderer, thing: MqcObject, profile: Profile | None) -> tuple[str, ...]:
    """A plan has an undo for every prefix, and prints the same objects in most of them."""
    return renderer.lines(thing, profile)


@lru_cache(maxsize=4096)
def _printed_action(renderer: Renderer, action: Action, profile: Profile | None) -> tuple[str, ...]:
    """The same policer stands in most classes of a router."""
    return renderer.action_lines(action, profile)


def _bare(thing: MqcObject) -> MqcObject:
    """The object with nothing in it: all that its header needs."""
    match thing:
        case AccessList():
            return AccessList(thing.name, thing.family, (), thing.standard)
        case ClassMap():
            return ClassMap(thing.name, thing.mode)
        case PolicyMap():
            return PolicyMap(thing.name)


def typeable(description: str) -> str:
    """A description without question marks: at each of them a router prints help instead of taking the line."""
    return " ".join(description.replace("?", " ").split()) if "?" in description else description


def _line(text: str, step: Step) -> Line:
    body = text.lstrip(" ")
    return Line(body, len(text) - len(body), step=step)
