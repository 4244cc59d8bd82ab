"""A scheme from plain data (a YAML file's content), refused whole with path and reason when anything is
off.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Literal, cast

from provisioning.pipeline.scheme.checking import check
from provisioning.pipeline.scheme.reading import Node
from provisioning.pipeline.scheme.values import (
    CLASS_DEFAULT,
    ClassMapTemplate,
    ClassTemplate,
    MatchTemplate,
    PoliceTemplate,
    PolicyTemplate,
    Pool,
    Scheme,
    ServiceClass,
    Share,
    StrictPriorityTemplate,
)

ACCESS_CASES = ("non-participant", "trusted", "filtered")
OPTIONS = ("emit_unused_other",)
NAMES = ("filtered_access_list", "filtered_class_map", "filtered_policy")


def from_mapping(data: Mapping[str, Any]) -> Scheme:
    """The scheme that ``data`` describes; raises InvalidInput whose field is the path of what is wrong."""
    top = Node(data).keys(
        needed=(
            "name",
            "title",
            "classes",
            "pools",
            "policer",
            "class_maps",
            "policies",
            "cases",
            "core",
            "names",
        ),
        optional=("options", "notes"),
    )
    options = top["options"].keys(needed=(), optional=OPTIONS) if "options" in top else {}
    scheme = Scheme(
        name=top["name"].text(),
        title=top["title"].text(),
        classes=tuple(_service_class(node) for node in top["classes"].items()),
        pools={name: _pool(name, node) for name, node in top["pools"].members()},
        policer=cast(Literal["cap", "grants"], top["policer"].one_of("cap", "grants")),
        class_maps={
            _own_name(name, node): _class_map(name, node) for name, node in top["class_maps"].members()
        },
        policies={_own_name(name, node): _policy(name, node) for name, node in top["policies"].members()},
        cases={case: node.ios_name() for case, node in top["cases"].keys(needed=ACCESS_CASES).items()},
        core=top["core"].ios_name(),
        names={role: node.ios_name() for role, node in top["names"].keys(needed=NAMES).items()},
        options={option: options[option].flag() if option in options else False for option in OPTIONS},
        notes=tuple(node.text() for node in top["notes"].items()) if "notes" in top else (),
    )
    check(scheme)
    return scheme


def _own_name(name: str, node: Node) -> str:
    return Node(name, node.path).ios_name()


def _service_class(node: Node) -> ServiceClass:
    part = node.keys(
        needed=("name", "title", "abbreviation", "phb", "dscp"), optional=("pool", "source", "choice")
    )
    return ServiceClass(
        name=part["name"].text(),
        title=part["title"].text(),
        abbreviation=part["abbreviation"].text(),
        phb=part["phb"].text(),
        dscp=part["dscp"].integer(0, 63),
        pool=part["pool"].text() if "pool" in part else None,
        provenance=_provenance(node, part)[0],
    )


def _pool(name: str, node: Node) -> Pool:
    part = node.keys(needed=("access", "core"))
    return Pool(name=name, access=_share(part["access"]), core=_share(part["core"]))


def _share(node: Node) -> Share:
    part = node.keys(needed=("percent",), optional=("source", "choice"))
    words, is_choice = _provenance(node, part)
    return Share(percent=part["percent"].percent(), provenance=words, is_choice=is_choice)


def _provenance(node: Node, part: Mapping[str, Node]) -> tuple[str, bool]:
    """Every number says where it comes from: a document's place, or that it is a choice and why."""
    if ("source" in part) == ("choice" in part):
        raise node.fail("either source (document and section) or choice (the reason) is needed, and not both")
    return (part["choice"].text(), True) if "choice" in part else (part["source"].text(), False)


def _class_map(name: str, node: Node) -> ClassMapTemplate:
    part = node.keys(needed=("mode", "match"), optional=("emit",))
    return ClassMapTemplate(
        name=name,
        mode=cast(Literal["match-all", "match-any"], part["mode"].one_of("match-all", "match-any")),
        matches=tuple(_match(found) for found in part["match"].items()),
        emit=part["emit"].one_of(*OPTIONS) if "emit" in part else None,
    )


def _match(node: Node) -> MatchTemplate:
    part = node.keys(needed=(), optional=("dscp", "not_dscp", "access_list"))
    if len(part) != 1:
        raise node.fail("exactly one of dscp, not_dscp, access_list is needed")
    if "access_list" in part:
        return MatchTemplate("access_list", part["access_list"].ios_name())
    key = next(iter(part))
    return MatchTemplate("dscp", part[key].integer(0, 63), negated=key == "not_dscp")


def _policy(name: str, node: Node) -> PolicyTemplate:
    part = node.keys(needed=("classes",))
    return PolicyTemplate(name=name, classes=tuple(_class(found) for found in part["classes"].items()))


def _class(node: Node) -> ClassTemplate:
    part = node.keys(
        needed=("class",), optional=("service", "police", "set_dscp", "strict_priority", "random_detect")
    )
    name = part["class"].ios_name()
    if name == CLASS_DEFAULT and "service" in part:
        raise part["service"].fail("class-default carries whatever is left, not one service class")
    return ClassTemplate(
        class_name=name,
        service=part["service"].text() if "service" in part else None,
        police=_police(part["police"]) if "police" in part else None,
        set_dscp=part["set_dscp"].integer(0, 63) if "set_dscp" in part else None,
        strict_priority=(
            StrictPriorityTemplate(part["strict_priority"].keys(needed=("percent",))["percent"].percent())
            if "strict_priority" in part
            else None
        ),
        random_detect=(
            cast(Literal["dscp-based"], part["random_detect"].one_of("dscp-based"))
            if "random_detect" in part
            else None
        ),
    )


def _police(node: Node) -> PoliceTemplate:
    part = node.keys(needed=("percent", "conform", "exceed"))
    return PoliceTemplate(
        percent=part["percent"].percent(),
        conform=part["conform"].one_of("transmit"),
        exceed=part["exceed"].one_of("transmit", "drop"),
    )
