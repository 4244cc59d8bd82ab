"""What is approved is what is pushed: digests that bind a plan to the state of the router it was made for."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Any

from provisioning.pipeline.change.stored import SHARED, WHOLE, proof_to_json, shared
from provisioning.pipeline.diff import ACCESS_LIST, CLASS_MAP, POLICY_MAP, Key, Line, settled
from provisioning.pipeline.mqc import AccessList, ClassMap, PolicyMap, RunningConfig, to_json
from provisioning.pipeline.safety import LineState


@dataclass(frozen=True, slots=True)
class Scope:
    """What of a config a plan depends on.

    `objects` are all (kind, name) it reads, makes or takes away, absent ones included, so that a foreign object
    appearing under one of the names is seen. `interfaces` are the managed ones: every service-policy on them counts.
    """

    objects: tuple[Key, ...]
    interfaces: tuple[str, ...]

    def to_json(self) -> dict[str, Any]:
        return {"objects": [list(key) for key in self.objects], "interfaces": list(self.interfaces)}

    @classmethod
    def from_json(cls, data: Mapping[str, Any]) -> Scope:
        return cls(tuple((kind, name) for kind, name in data["objects"]), tuple(data["interfaces"]))


@dataclass(frozen=True, slots=True)
class Circumstances:
    """What else was true when the plan was made; anything else at push time makes it stale.

    `bandwidths` maps managed interfaces to the BW the router shows, in bit/s. Digests are sha256 in hex.
    """

    serial: str
    host_key: str
    intent_revision: str
    scheme_digest: str
    template_digest: str
    bandwidths: Mapping[str, int] = field(default_factory=dict)


def scope_digest(config: RunningConfig, scope: Scope) -> str:
    """sha256 (hex) of what `config` holds within `scope`, however the router spells it.

    Of access lists as far as routers agree on them (`settled`): sequence numbers count where lines are sent by them.
    An access list without entries is the same as none: routers differ in showing it.
    """
    held = {ACCESS_LIST: config.access_lists, CLASS_MAP: config.class_maps, POLICY_MAP: config.policy_maps}
    objects = [[kind, name, _content(held[kind].get(name))] for kind, name in sorted(scope.objects)]
    within = frozenset(scope.interfaces)
    bindings = sorted(
        [binding.interface, binding.pvc or "", binding.direction, binding.policy]
        for binding in config.bindings
        if binding.interface in within
    )
    return _sha256({"objects": objects, "service-policies": bindings})


def content_digest(config: RunningConfig, interfaces: Iterable[str]) -> str:
    """sha256 (hex) of every class-map, policy-map and access list of `config`, and of what is bound on `interfaces`."""
    held = {ACCESS_LIST: config.access_lists, CLASS_MAP: config.class_maps, POLICY_MAP: config.policy_maps}
    objects = sorted((kind, name) for kind, group in held.items() for name in group)
    return scope_digest(config, Scope(tuple(objects), tuple(sorted(interfaces))))


def fingerprint(
    commands: Sequence[Line],
    rollback: Sequence[Line],
    undo: Iterable[Sequence[Line]],
    base_digest: str,
    circumstances: Circumstances,
    proof: Iterable[LineState] = (),
    *,
    form: int = SHARED,
    alternatives: Iterable[Mapping[str, Any]] = (),
    blocks: Iterable[Mapping[str, Any]] = (),
    revert_minutes: int = 0,
) -> str:
    """sha256 (hex) over everything an approval covers (architecture.md, "What is approved is what is pushed").

    `proof` is what whoever approves reads beside the lines, of the way there and of the way back. In the form `SHARED`
    every undo and every state is covered by what it shares with the one before, which says the same and stays as short as
    the plan; plans kept from before are hashed as they were (`WHOLE`). `alternatives` are what is sent where a swap is
    refused, with its effect, as JSON; `blocks` which commands go out together, and what takes them off;
    `revert_minutes` after how long the router takes it all back unless it is confirmed.
    """
    whole = form == WHOLE
    instead, together = list(alternatives), list(blocks)
    return _sha256(
        {
            **({} if whole else {"form": form}),
            **({"alternatives": instead} if instead else {}),
            **({"blocks": together} if together else {}),
            **({"revert_minutes": revert_minutes} if revert_minutes else {}),
            "commands": _sent(commands),
            "rollback": _sent(rollback),
            "undo": [_sent(lines) for lines in undo]
            if whole
            else [[head, _sent(lines), tail] for head, lines, tail in shared(undo)],
            "proof": [state.to_json() for state in proof] if whole else proof_to_json(proof),
            "base": base_digest,
            "serial": circumstances.serial,
            "host_key": circumstances.host_key,
            "bandwidths": dict(sorted(circumstances.bandwidths.items())),
            "intent": circumstances.intent_revision,
            "scheme": circumstances.scheme_digest,
            "templates": circumstances.template_digest,
        }
    )


@lru_cache(maxsize=8192)
def _content(thing: AccessList | ClassMap | PolicyMap | None) -> Any:
    if thing is None or (isinstance(thing, AccessList) and not thing.entries):
        return None
    if isinstance(thing, AccessList):
        return to_json(settled(thing))
    return to_json(thing)


def _sent(lines: Sequence[Line]) -> list[list[Any]]:
    """What goes over the wire and in which writes; depth and step are for reading only."""
    return [[line.text, line.joined] for line in lines]


def _sha256(value: Any) -> str:
    text = json.dumps(value, sort_keys=True, ensure_ascii=True, separators=(",", ":"))
    return hashlib.sha256(text.encode("ascii")).hexdigest()
