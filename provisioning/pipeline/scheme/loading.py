"""A scheme from plain data (a YAML file's content), refused whole with path and reason when anything is
off.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Literal, cast

from provisioning.pipeline.scheme.checking import check
from provisioning.pipeline.scheme.loading_templates import class_map, policy
from provisioning.pipeline.scheme.reading import Node
from provisioning.pipeline.scheme.rules import (
    LEAST_TOLD_PERCENT,
    BucketDelay,
    Buckets,
    Policers,
    Receivers,
    RouterHealth,
    SingleFailures,
    Telling,
    TooShallow,
    Word,
)
from provisioning.pipeline.scheme.shares import PayloadRate, Pool, Share, Threshold
from provisioning.pipeline.scheme.templates import Chosen, DeclaredException, Outputs, PlatformWarning
from provisioning.pipeline.scheme.values import NON_PARTICIPANT, Ends, Scheme, ServiceClass

ACCESS_CASES = ("trusted", "filtered")
NEEDED = (
    "name",
    "title",
    "classes",
    "pools",
    "policer",
    "class_maps",
    "policies",
    "cases",
    "outputs",
    "rest",
)
OPTIONAL = (
    "options",
    "families",
    "exceptions",
    "platform_warnings",
    "notes",
    "plan_notes",
    "receivers",
    "buckets",
    "policers",
    "failures",
    "health",
    "telling",
)


def from_mapping(data: Mapping[str, Any]) -> Scheme:
    """The scheme that ``data`` describes; raises InvalidInput whose field is the path of what is wrong."""
    top = Node(data).keys(needed=NEEDED, optional=OPTIONAL)
    options = {name: node.flag() for name, node in top["options"].members()} if "options" in top else {}
    names = tuple(options)
    rest, rest_as = _rest(top["rest"])
    scheme = Scheme(
        name=top["name"].text(),
        title=top["title"].text(),
        classes=tuple(_service_class(node) for node in top["classes"].items()),
        pools={name: _pool(name, node) for name, node in top["pools"].members()},
        policer=cast(Literal["cap", "grants"], top["policer"].one_of("cap", "grants")),
        class_maps={
            _own_name(name, node): class_map(name, node, names) for name, node in top["class_maps"].members()
        },
        policies={_own_name(name, node): policy(name, node) for name, node in top["policies"].members()},
        case_choices={
            case: _chosen(node, names)
            for case, node in top["cases"].keys(needed=(NON_PARTICIPANT,), optional=ACCESS_CASES).items()
        },
        outputs=_outputs(top["outputs"], names),
        options=options,
        rest=rest,
        rest_as=rest_as,
        families=tuple(node.integer(4, 6) for node in top["families"].items()) if "families" in top else (6,),
        exceptions=_list(top, "exceptions", _exception),
        platform_warnings=_list(top, "platform_warnings", _platform_warning),
        notes=_list(top, "notes", Node.text),
        plan_notes=_list(top, "plan_notes", Node.text),
        receivers=_receivers(top["receivers"]) if "receivers" in top else Receivers(),
        buckets=_buckets(top["buckets"]) if "buckets" in top else Buckets(),
        policers=_policers(top["policers"]) if "policers" in top else Policers(),
        failures=_failures(top["failures"]) if "failures" in top else SingleFailures(),
        health=_health(top["health"]) if "health" in top else RouterHealth(),
        telling=_telling(top["telling"]) if "telling" in top else Telling(),
    )
    check(scheme)
    return scheme


def _list(top: Mapping[str, Node], key: str, read: Any) -> tuple[Any, ...]:
    return tuple(read(node) for node in top[key].items()) if key in top else ()


def _rest(node: Node) -> tuple[str, int | None]:
    """A class's name, or ``{class, dscp}`` for one of its lower DSCPs."""
    if isinstance(node.value, str):
        return node.text(), None
    part = node.keys(needed=("class", "dscp"))
    return part["class"].text(), part["dscp"].integer(0, 63)


def _own_name(name: str, node: Node) -> str:
    return Node(name, node.path).ios_name()


def _service_class(node: Node) -> ServiceClass:
    part = node.keys(
        needed=("name", "title", "abbreviation", "phb", "dscp"),
        optional=(
            "lower_dscps",
            "guarded",
            "pool",
            "ends",
            "admission",
            "static_routes",
            "needs_flow_label",
            "shaped",
            "source",
            "choice",
        ),
    )
    dscp, phb = part["dscp"].integer(0, 63), part["phb"].text()
    lower = _dscps(part, "lower_dscps")
    return ServiceClass(
        name=part["name"].text(),
        title=part["title"].text(),
        abbreviation=part["abbreviation"].text(),
        phb=phb,
        dscp=dscp,
        pool=part["pool"].text() if "pool" in part else None,
        provenance=provenance(node, part)[0],
        lower_dscps=lower,
        ends=cast(Ends, part["ends"].one_of("both", "source", "outside") if "ends" in part else "both"),
        admission=cast(
            Literal["path", "edge"],
            part["admission"].one_of("path", "edge") if "admission" in part else "path",
        ),
        static_routes=part["static_routes"].flag() if "static_routes" in part else False,
        needs_flow_label=part["needs_flow_label"].flag() if "needs_flow_label" in part else False,
        shaped=part["shaped"].flag() if "shaped" in part else False,
        guarded=_dscps(part, "guarded") if "guarded" in part else (dscp, *lower) if phb == "EF" else (),
    )


def _dscps(part: Mapping[str, Node], key: str) -> tuple[int, ...]:
    return tuple(found.integer(0, 63) for found in part[key].items()) if key in part else ()


def _pool(name: str, node: Node) -> Pool:
    part = node.keys(needed=("access",), optional=("core", "border", "warn_above"))
    return Pool(
        name=name,
        access=_share(part["access"]),
        core=_share(part["core"]) if "core" in part else None,
        border=_share(part["border"]) if "border" in part else None,
        warn_above=_threshold(part["warn_above"]) if "warn_above" in part else None,
    )


def _share(node: Node) -> Share:
    part = node.keys(needed=(), optional=("percent", "rate_bps", "payload", "source", "choice"))
    stated = [key for key in ("percent", "rate_bps", "payload") if key in part]
    if len(stated) != 1:
        raise node.fail("percent is missing" if not stated else f"{' and '.join(stated)}: only one of them")
    words, is_choice = provenance(node, part)
    payload = _payload(part["payload"]) if "payload" in part else None
    rate = part["rate_bps"].integer(1, 10**12) if "rate_bps" in part else None
    return Share(
        percent=part["percent"].percent() if "percent" in part else None,
        provenance=words,
        is_choice=is_choice,
        rate_bps=payload.layer3_bps if payload is not None else rate,
        payload=payload,
    )


def _payload(node: Node) -> PayloadRate:
    part = node.keys(needed=("bytes_per_second", "datagram_bytes", "header_bytes"))
    return PayloadRate(
        part["bytes_per_second"].integer(1, 10**11),
        part["datagram_bytes"].integer(1, 65535),
        part["header_bytes"].integer(20, 100),
    )


def _word(node: Node) -> Word:
    return cast(Word, node.one_of("admit", "warn", "refuse"))


def _receivers(node: Node) -> Receivers:
    part = node.keys(needed=("without_the_class",), optional=("source", "choice"))
    return Receivers(_word(part["without_the_class"]), *provenance(node, part))


def _policers(node: Node) -> Policers:
    part = node.keys(needed=("cannot_keep",), optional=("source", "choice"))
    return Policers(_word(part["cannot_keep"]), *provenance(node, part))


def _buckets(node: Node) -> Buckets:
    part = node.keys(needed=(), optional=("too_shallow", "delay"))
    shallow, delay = TooShallow(), BucketDelay()
    if "too_shallow" in part:
        said = part["too_shallow"].keys(needed=("then",), optional=("source", "choice"))
        shallow = TooShallow(_word(said["then"]), *provenance(part["too_shallow"], said))
    if "delay" in part:
        limits = ("warn_above_ms", "refuse_above_ms")
        said = part["delay"].keys(needed=(), optional=(*limits, "source", "choice"))
        warn, refuse = (said[key].integer(1, 10_000) if key in said else None for key in limits)
        if warn is not None and refuse is not None and warn > refuse:
            raise said["warn_above_ms"].fail(
                f"warned of from {warn} ms on, and refused from {refuse} ms on before"
            )
        delay = BucketDelay(warn, refuse, *provenance(part["delay"], said))
    return Buckets(shallow, delay)


def _failures(node: Node) -> SingleFailures:
    part = node.keys(needed=("count", "unprotected"), optional=("source", "choice"))
    count = part["count"].one_of("links", "links-and-routers", "none")
    unprotected = part["unprotected"].one_of("admit", "refuse")
    if count == "none" and unprotected == "refuse":
        raise part["unprotected"].fail("nothing is refused where no failure is counted")
    return SingleFailures(
        cast(Literal["links", "links-and-routers", "none"], count),
        cast(Literal["admit", "refuse"], unprotected),
        *provenance(node, part),
    )


def _health(node: Node) -> RouterHealth:
    part = node.keys(needed=("cpu_percent",), optional=("source", "choice"))
    return RouterHealth(part["cpu_percent"].integer(1, 100), *provenance(node, part))


def _telling(node: Node) -> Telling:
    part = node.keys(
        needed=("rates_in_bps", "others_in_bps"),
        optional=("drops_percent", "quiet_looks", "source", "choice"),
    )
    rates, others = (part[name].integer(1, 10**12) for name in ("rates_in_bps", "others_in_bps"))
    if others % rates:
        raise part["others_in_bps"].fail(f"a multiple of rates_in_bps ({rates}) is needed, not {others}")
    drops = part["drops_percent"].percent() if "drops_percent" in part else None
    if drops is not None and drops < LEAST_TOLD_PERCENT:
        raise part["drops_percent"].fail(f"at least {LEAST_TOLD_PERCENT}: fewer drops are none, not {drops}")
    quiet = part["quiet_looks"].integer(1, 100) if "quiet_looks" in part else Telling.quiet_looks
    return Telling(rates, others, drops, quiet, *provenance(node, part))


def _threshold(node: Node) -> Threshold:
    part = node.keys(needed=("rate_bps", "text"), optional=("source", "choice"))
    return Threshold(part["rate_bps"].integer(1, 10**12), part["text"].text(), provenance(node, part)[0])


def provenance(node: Node, part: Mapping[str, Node]) -> tuple[str, bool]:
    """Every number says where it comes from: a document's place, or that it is a choice and why."""
    if ("source" in part) == ("choice" in part):
        raise node.fail("either source (document and section) or choice (the reason) is needed, and not both")
    return (part["choice"].text(), True) if "choice" in part else (part["source"].text(), False)


def _chosen(node: Node, options: tuple[str, ...]) -> Chosen:
    """A policy's name, or ``{option, then, else}``; without ``else`` there is no policy while the option is off, and it may be
    chosen by another option.
    """
    if isinstance(node.value, str):
        return Chosen(node.ios_name())
    part = node.keys(needed=("option", "then"), optional=("else",))
    other = _chosen(part["else"], options) if "else" in part else None
    # A plain name stays one: the digest of a scheme that says no more than before is the one it had.
    otherwise = other if other is None or other.option is not None else other.name
    return Chosen(part["then"].ios_name(), part["option"].one_of(*options), otherwise)


def _outputs(node: Node, options: tuple[str, ...]) -> Outputs:
    kinds = ("access", "access_vlan", "border")
    part = node.keys(needed=("core",), optional=(*kinds, "except_engines"))
    chosen = {kind: _chosen(part[kind], options) for kind in kinds if kind in part}
    engines = _list(part, "except_engines", Node.text)
    return Outputs(core=_chosen(part["core"], options), **chosen, except_engines=engines)


def _exception(node: Node) -> DeclaredException:
    part = node.keys(needed=("rule", "text"), optional=("source", "choice"))
    rule = cast(Literal["premium-unpoliced"], part["rule"].one_of("premium-unpoliced"))
    return DeclaredException(rule, part["text"].text(), provenance(node, part)[0])


def _platform_warning(node: Node) -> PlatformWarning:
    part = node.keys(needed=("platform", "text"), optional=("ipv6_only", "source", "choice"))
    return PlatformWarning(
        part["platform"].text(),
        part["text"].text(),
        provenance(node, part)[0],
        part["ipv6_only"].flag() if "ipv6_only" in part else True,
    )
