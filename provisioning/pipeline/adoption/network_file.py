"""A proposed network as the text of a network file (docs/reference/network-file.md), with what a person has to fill in."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from provisioning.pipeline.adoption.proposing import CorePair, EdgeProposal, NetworkProposal
from provisioning.pipeline.adoption.text import InterfaceText, RouterText
from provisioning.pipeline.scheme import Scheme

FILL_IN = "  # not in the configuration: fill in"


@dataclass(frozen=True)
class DomainProposal:
    """What the file says of the domain; `known` when a person has said it before, not this reading."""

    name: str
    asn: int
    prefix: str
    known: bool


def network_file(
    proposal: NetworkProposal,
    scheme: Scheme,
    domain: DomainProposal,
) -> str:
    """Return the whole file. What was assumed or is unknown stands in comments, never silently in a value."""
    return "\n".join(
        [
            "# A network read from running-configs. Check every line; values a configuration does not say are marked.",
            *(f"# unknown: {text}" for text in proposal.unknown),
            *_domain(scheme, domain),
            "routers:",
            *(_router(router, proposal) for router in proposal.routers),
            *_section("core_links", [_core(pair, proposal.subnets) for pair in proposal.core]),
            "nrens:" if _access(proposal) else "nrens: []",
            *_nrens(proposal),
            "access_links:" if _access(proposal) else "access_links: []",
            *(_access_link(edge, proposal) for edge in _access(proposal)),
            *_section(
                "peerings", [_peering(edge, proposal) for edge in proposal.edges if edge.kind == "peering"]
            ),
            *_exemptions(proposal),
            "",
        ]
    )


def _exemptions(proposal: NetworkProposal) -> Iterator[str]:
    """What is neither link nor peering as far as anybody can tell: entries a person may take, with a reason of theirs."""
    others = [edge for edge in proposal.edges if edge.kind == "other"]
    if others:
        yield "# Interfaces nothing was recognised on. Make them links or peerings, or exempt them with a reason:"
        yield "# interfaces:"
    for edge in others:
        words: dict[str, object] = {
            "router": edge.router,
            "interface": edge.interface.name,
            **_rates((edge.interface,)),
            "exempt_reason": "",
        }
        yield f"#   - {_flow(words)}  # {edge.why}"
        if edge.case:
            link = {"nren": edge.nren, **_place(edge, proposal), "case": edge.case, "standing": True}
            yield f"#   or in access_links, with its NREN in nrens: - {_flow(link)}"


def _domain(scheme: Scheme, domain: DomainProposal) -> Iterator[str]:
    mark = "" if domain.known else FILL_IN
    yield "domain:"
    yield f"  name: {json.dumps(domain.name)}{mark}"
    yield f"  asn: {domain.asn}{mark}"
    yield f"  prefix: {json.dumps(domain.prefix)}{mark}"
    yield f"  scheme: {scheme.name}"
    yield f"  policer: {scheme.policer}"
    if any(scheme.options.values()):
        yield f"  options: {_flow(dict(scheme.options))}"
    yield "  classes:"
    for entry in scheme.classes:
        words = {
            "name": entry.title,
            "abbreviation": entry.abbreviation,
            "phb": entry.phb,
            "dscp": entry.dscp,
        }
        yield f"    - {_flow(words)}"


def _router(router: RouterText, proposal: NetworkProposal) -> str:
    roles = []
    if any(router.name in (pair.a[0], pair.z[0]) for pair in proposal.core):
        roles.append("core")
    if any(edge.router == router.name and edge.kind != "other" for edge in proposal.edges):
        roles.append("access")
    words: dict[str, object] = {
        "name": router.name,
        "pop": router.name,
        "country": "zz",
        "platform": router.platform,
        "ios": router.release,
        "roles": roles,
    }
    engines = ", ".join(f"{slot}: {json.dumps(engine)}" for slot, engine in router.engines)
    text = _flow(words)
    if engines:
        text = f"{text[:-1]}, engines: {{{engines}}}}}"
    return f"  - {text}  # pop and country are not in the configuration: fill in"


def _core(pair: CorePair, subnets: frozenset[str]) -> str:
    a, z = pair.a[1], pair.z[1]
    metrics = {each for each in (a.metric, z.metric) if each is not None}
    words: dict[str, object] = {
        "a": [pair.a[0], a.name],
        "z": [pair.z[0], z.name],
        **_rates((a, z)),
        **({"metric": max(metrics)} if metrics else {}),
        **({"prefix": pair.subnet} if pair.subnet in subnets else {}),
    }
    said = [pair.why, *sorted({each.assumed for each in (a, z) if each.assumed})]
    if len(metrics) > 1:
        said.append(f"the ends have metrics {a.metric} and {z.metric}")
    return f"  - {_flow(words)}  # {'; '.join(said)}"


def _rates(interfaces: tuple[InterfaceText, ...]) -> dict[str, object]:
    line = [each.line_rate_bps for each in interfaces if each.line_rate_bps]
    bw = [each.bw_bps for each in interfaces if each.bw_bps]
    return {
        **({"capacity_bps": min(line)} if line else {}),
        **({"bw_bps": min(bw) - min(bw) % 1000} if bw else {}),
    }


def _access(proposal: NetworkProposal) -> list[EdgeProposal]:
    return [edge for edge in proposal.edges if edge.kind == "access"]


def _nrens(proposal: NetworkProposal) -> Iterator[str]:
    for name in sorted({edge.nren for edge in _access(proposal)}):
        words = {"name": name, "country": "zz", "prefixes": list(proposal.prefixes.get(name, ()))}
        said = "country is not in the configuration: fill in; prefixes are what access lists authorise"
        yield f"  - {_flow(words)}  # {said}"


def _access_link(edge: EdgeProposal, proposal: NetworkProposal) -> str:
    words: dict[str, object] = {
        "nren": edge.nren,
        **_place(edge, proposal),
        "case": edge.case,
        "standing": True,
    }
    return f"  - {_flow(words)}  # {_said(edge)}"


def _peering(edge: EdgeProposal, proposal: NetworkProposal) -> str:
    return f"  - {_flow({'name': edge.nren, **_place(edge, proposal)})}  # {_said(edge)}"


def _place(edge: EdgeProposal, proposal: NetworkProposal) -> dict[str, object]:
    subnet = sorted(edge.interface.subnets & proposal.subnets, key=lambda each: (":" not in each, each))
    return {
        "router": edge.router,
        "interface": edge.interface.name,
        **({"pvc": edge.interface.pvc} if edge.interface.pvc else {}),
        **_rates((edge.interface,)),
        **({"prefix": subnet[0]} if subnet else {}),
    }


def _said(edge: EdgeProposal) -> str:
    whose = "the name is from the description" if edge.organisation else "whose it is is unknown: fill in"
    return "; ".join(part for part in (edge.why, whose, edge.interface.assumed) if part)


def _section(name: str, entries: Sequence[str]) -> list[str]:
    return [f"{name}:", *entries] if entries else []


def _flow(words: Mapping[str, object]) -> str:
    """A mapping on one line; JSON's spelling of texts and lists is YAML's too."""
    return "{" + ", ".join(f"{key}: {json.dumps(value)}" for key, value in words.items()) + "}"
