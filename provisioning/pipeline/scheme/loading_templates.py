"""Class-maps and policies of a scheme's file as templates."""

from __future__ import annotations

from typing import Literal, cast

from provisioning.pipeline.scheme.reading import Node
from provisioning.pipeline.scheme.templates import (
    CLASS_DEFAULT,
    REST,
    BandwidthTemplate,
    ClassMapTemplate,
    ClassTemplate,
    MatchTemplate,
    PoliceTemplate,
    PolicyTemplate,
    QueueLimitTemplate,
    ShapeTemplate,
    StrictPriorityTemplate,
    When,
    WredProfile,
    WredTemplate,
)

WHEN = ("always", "hqf", "pre-hqf")
_ACTIONS = (
    "service", "police", "set_dscp", "strict_priority", "bandwidth", "shape", "random_detect", "queue_limit", "child",
    "per_flow",
)  # fmt: skip


def class_map(name: str, node: Node, options: tuple[str, ...]) -> ClassMapTemplate:
    """A class-map; an option named by ``emit`` must be one of ``options``."""
    part = node.keys(needed=("mode", "match"), optional=("emit",))
    return ClassMapTemplate(
        name=name,
        mode=cast(Literal["match-all", "match-any"], part["mode"].one_of("match-all", "match-any")),
        matches=tuple(_match(found) for found in part["match"].items()),
        emit=part["emit"].one_of(*options) if "emit" in part else None,
    )


def _match(node: Node) -> MatchTemplate:
    part = node.keys(needed=(), optional=("dscp", "not_dscp", "access_list", "link_addresses"))
    if len(part) != 1:
        raise node.fail("exactly one of dscp, not_dscp, access_list, link_addresses is needed")
    key = next(iter(part))
    if key == "access_list":
        return MatchTemplate("access_list", part[key].ios_name())
    if key == "link_addresses":
        return MatchTemplate("link_addresses", part[key].ios_name())
    found = part[key]
    value: int | tuple[int, ...]
    if isinstance(found.value, list | tuple):
        value = tuple(sorted(one.integer(0, 63) for one in found.items()))
        if not value or len(set(value)) != len(value):
            raise found.fail("each DSCP once, and at least one")
    else:
        value = found.integer(0, 63)
    return MatchTemplate("dscp", value, negated=key == "not_dscp")


def policy(name: str, node: Node) -> PolicyTemplate:
    """A policy-map with its classes in order."""
    part = node.keys(needed=("classes",))
    return PolicyTemplate(name=name, classes=tuple(_class(found) for found in part["classes"].items()))


def _class(node: Node) -> ClassTemplate:
    part = node.keys(needed=("class",), optional=_ACTIONS)
    name = part["class"].ios_name()
    if name == CLASS_DEFAULT and "service" in part:
        raise part["service"].fail("class-default carries whatever is left, not one service class")
    return ClassTemplate(
        class_name=name,
        services=_services(part["service"]) if "service" in part else (),
        police=_police(part["police"]) if "police" in part else None,
        set_dscp=part["set_dscp"].integer(0, 63) if "set_dscp" in part else None,
        strict_priority=_strict_priority(part["strict_priority"]) if "strict_priority" in part else None,
        bandwidth=_bandwidth(part["bandwidth"]) if "bandwidth" in part else None,
        shape=_shape(part["shape"]) if "shape" in part else None,
        random_detect=_random_detect(part["random_detect"]) if "random_detect" in part else None,
        queue_limit=_queue_limit(part["queue_limit"]) if "queue_limit" in part else None,
        child=part["child"].ios_name() if "child" in part else None,
        per_flow=part["per_flow"].flag() if "per_flow" in part else False,
    )


def _services(node: Node) -> tuple[str, ...]:
    return (node.text(),) if isinstance(node.value, str) else tuple(found.text() for found in node.items())


def _police(node: Node) -> PoliceTemplate:
    part = node.keys(
        needed=("conform", "exceed"), optional=("percent", "rate_bps", "burst_bytes", "excess_burst_bytes")
    )
    if ("percent" in part) == ("rate_bps" in part):
        raise node.fail("either percent or rate_bps is needed, and not both")
    return PoliceTemplate(
        percent=part["percent"].percent() if "percent" in part else None,
        conform=_police_action(part["conform"]),
        exceed=_police_action(part["exceed"]),
        rate_bps=part["rate_bps"].integer(8000, 10**11) if "rate_bps" in part else None,
        burst_bytes=part["burst_bytes"].integer(1000, 512_000_000) if "burst_bytes" in part else None,
        excess_burst_bytes=(
            part["excess_burst_bytes"].integer(1000, 512_000_000) if "excess_burst_bytes" in part else None
        ),
    )


def _police_action(node: Node) -> str:
    """``transmit``, ``drop``, or ``{set_dscp: 12}``, which transmits with another marking."""
    if isinstance(node.value, str):
        return node.one_of("transmit", "drop")
    return f"set-dscp-transmit {node.keys(needed=('set_dscp',))['set_dscp'].integer(0, 63)}"


def _strict_priority(node: Node) -> StrictPriorityTemplate:
    part = node.keys(needed=("percent",), optional=("policed",))
    return StrictPriorityTemplate(
        part["percent"].percent(), part["policed"].flag() if "policed" in part else False
    )


def _bandwidth(node: Node) -> BandwidthTemplate:
    if node.value == REST:
        return BandwidthTemplate("rest")
    part = node.keys(needed=(), optional=("percent", "remaining"))
    if len(part) != 1:
        raise node.fail("exactly one of percent, remaining is needed, or the word rest")
    key = next(iter(part))
    return BandwidthTemplate(cast(Literal["percent", "remaining"], key), part[key].percent())


def _shape(node: Node) -> ShapeTemplate:
    if node.value == "interface":
        return ShapeTemplate()
    part = node.keys(needed=("rate_bps",))
    return ShapeTemplate(part["rate_bps"].integer(8000, 10**11))


def _random_detect(node: Node) -> WredTemplate:
    if node.value == "dscp-based":
        return WredTemplate()
    part = node.keys(needed=("profiles",), optional=("weight",))
    return WredTemplate(
        tuple(_profile(found) for found in part["profiles"].items()),
        part["weight"].integer(1, 16) if "weight" in part else None,
    )


def _profile(node: Node) -> WredProfile:
    part = node.keys(needed=("dscp", "minimum", "maximum", "denominator"))
    minimum = part["minimum"].integer(1, 4096)
    maximum = part["maximum"].integer(1, 4096)
    if maximum <= minimum:
        raise part["maximum"].fail(f"the maximum lies above the minimum of {minimum}")
    return WredProfile(part["dscp"].integer(0, 63), minimum, maximum, part["denominator"].integer(1, 65536))


def _queue_limit(node: Node) -> QueueLimitTemplate:
    part = node.keys(needed=("packets",), optional=("when",))
    when = part["when"].one_of(*WHEN) if "when" in part else "always"
    return QueueLimitTemplate(part["packets"].integer(1, 32768), cast(When, when))
