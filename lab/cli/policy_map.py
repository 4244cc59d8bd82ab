"""``policy-map``, ``class`` in it, and the edits that go through the device's judgement."""

# ruff: noqa: ARG002 - all handlers have one signature
from __future__ import annotations

from collections.abc import Mapping

from lab import policies
from lab.cli.class_map import NAME_LENGTH
from lab.cli.policy_class import PolicyClassMode
from lab.cli.policy_edit import edit_policy
from lab.cursor import Cursor
from lab.errors import IncompleteCommand, Refusal
from lab.mode import Handler, Login, Mode
from lab.store import PolicyClass, PolicyMap


class PolicyMapMode(Mode):
    """``config-pmap``."""

    prompt = "config-pmap"

    def __init__(self, name: str) -> None:
        self.name = name

    def commands(self, session: Login) -> Mapping[str, Handler]:
        return {"class": self._class, "description": self._description, "rename": self._rename}

    def _class(self, session: Login, cursor: Cursor, no: bool) -> str:
        name = cursor.word(NAME_LENGTH)
        cursor.end()
        policy = session.config.policy_maps.get(self.name)
        if policy is None:
            raise Refusal(f"% policy-map {self.name} not configured")
        if no:
            if policy.find(name) is None:
                raise Refusal(f"% class {name} not configured in policy {self.name}")
            return edit_policy(session, self.name, lambda draft: _remove(draft, name))
        if name != "class-default" and name not in session.config.class_maps:
            # ios-facts 5.1: out of the mode, and the next lines land somewhere else
            lands = session.train.unknown_class_lands
            if lands == "config":
                session.stack = session.stack[:1]
            elif lands == "class":
                session.stack = list(session.stack_before_line)
            raise Refusal(f"% class-map {name} not configured")
        if policy.find(name) is None:
            text = edit_policy(session, self.name, lambda draft: _add(draft, name))
        else:
            text = ""
        session.stack.append(PolicyClassMode(self.name, name))
        return text

    def _description(self, session: Login, cursor: Cursor, no: bool) -> str:
        if not no and not cursor.more:
            raise IncompleteCommand
        text = cursor.rest()
        return edit_policy(
            session, self.name, lambda draft: setattr(draft, "description", None if no else text)
        )

    def _rename(self, session: Login, cursor: Cursor, no: bool) -> None:
        if no:
            raise cursor.invalid()
        new = cursor.word(NAME_LENGTH)
        cursor.end()
        config = session.config
        if new in config.policy_maps:
            raise Refusal(f"% policy-map {new} already exists")
        config.policy_maps = {
            (new if key == self.name else key): value for key, value in config.policy_maps.items()
        }
        config.policy_maps[new].name = new
        for point, name in list(config.attachments()):
            if name == self.name:
                config.policies_at(point)[point[2]] = new
        for policy in config.policy_maps.values():
            for entry in policy.classes:
                if entry.actions.get("service-policy") == self.name:
                    entry.actions["service-policy"] = new
        self.name = new


def policy_map(session: Login, cursor: Cursor, no: bool) -> str:
    """``[no] policy-map NAME``."""
    name = cursor.word(NAME_LENGTH)
    cursor.end()
    config = session.config
    if not no:
        if name not in config.policy_maps:
            config.policy_maps[name] = PolicyMap(name)
        session.stack.append(PolicyMapMode(name))
        return ""
    if name not in config.policy_maps:
        raise Refusal(f"% policy-map {name} not configured")
    child_of = [p.name for p in config.policy_maps.values() if any(
        entry.actions.get("service-policy") == name for entry in p.classes)]  # fmt: skip
    if child_of:
        # ios-facts 2.2: the child comes off before the parent
        raise Refusal(f"% policy-map {name} is being used in policy-map {child_of[0]}")
    points = config.uses(name)
    if points and session.train.remove_policy_in_use == "refused":
        raise Refusal(f"% policy-map {name} is being used")  # ios-facts 2.8, U5: the wording varies
    for point in points:
        policies.detach(session.device, point)
    del config.policy_maps[name]
    return ""


def _add(draft: PolicyMap, name: str) -> None:
    if name == "class-default":
        draft.classes.append(PolicyClass(name))
    else:
        draft.add(name)


def _remove(draft: PolicyMap, name: str) -> None:
    draft.classes = [entry for entry in draft.classes if entry.name != name]
