"""Uses of access lists, class-maps and policy-maps by things that are not MQC: why an object must not be
removed.
"""

from __future__ import annotations

import re
from typing import Final

from provisioning.pipeline.ios.redaction import redact
from provisioning.pipeline.ios.words import Words, are_among
from provisioning.pipeline.mqc import Reference

_USES: Final = re.compile(
    r"(?:ip|ipv6) (?:access-group|traffic-filter|access-class|(?:igmp|mld) access-group|multicast boundary"
    r"|directed-broadcast) (?:common \S+ |name )?(?P<filter>\S+)"
    r"|ip(?:v6)? verify unicast (?:reverse-path|source reachable-via (?:rx|any))"
    r"(?: (?:allow-default|allow-self-ping|l2-src))* (?!allow-|l2-src)(?P<source>\S+)\Z"
    r"|access-class (?P<line>\S+) (?:in|out)"
    r"|match ip(?:v6)? address (?!prefix-list)(?P<route>.+)"
    r"|match address (?:local |ipv4 |ipv6 )?(?P<crypto>\S+)"
    r"|match access-group (?:input |output )?(?:name )?(?P<class>\S+)"
    r"|distribute-list (?!prefix|route-map|gateway)(?P<distribute>\S+)"
    r"|source (?:static )?list (?P<nat>\S+)"
    r"|rate-limit (?:input|output) access-group (?!rate-limit)(?P<car>\S+)"
    r"|ntp access-group (?:ipv[46] )?(?:peer|query-only|serve|serve-only) (?P<ntp>\S+)"
    r"|ip http(?:s)? (?:secure-)?access-class (?:ipv[46] )?(?P<http>\S+)"
    r"|snmp-server community \S+ .*?(?:RO|RW|ro|rw)(?: ipv6 (?P<snmp6>\S+))?(?: (?P<snmp>\S+))?\Z"
    r"|snmp-server group .* access (?:ipv6 )?(?P<group>\S+)\Z"
    r"|ip pim (?:rp-address \S+|send-rp-announce .*? group-list|accept-register list|neighbor-filter) "
    r"(?P<pim>\S+)"
    r"|traffic-shape group (?P<shape>\S+)"
    r"|(?:mpls ldp advertise-labels|tag-switching advertise-tags) (?:vrf \S+ )?"
    r"for (?P<labels>\S+)(?: to (?P<peers>\S+))?"
    r"|mpls ldp neighbor .*labels accept (?P<accepted>\S+)"
    r"|offset-list (?P<offset>\S+) (?:in|out)"
    r"|distance \d+ [\d.]+ [\d.]+ (?P<distance>\S+)\Z"
    r"|redirect list (?P<portal>\S+)"
    r"|tftp-server \S+ (?:alias \S+ )?(?P<tftp>\S+)\Z"
    r"|neighbor \S+ distribute-list (?P<neighbor>\S+)"
    r"|ip wccp .*?(?:redirect|group)-list (?P<wccp>\S+)"
    r"|(?:dialer|priority|queue)-list .* list (?P<queue>\S+)"
    r"|ip .* list (?P<list>\S+)"
)
_BOUND: Final = re.compile(r"service-policy (?:client )?(?:(?:input|output) )?(?P<policy>\S+)\Z")
_PER_TUNNEL: Final = re.compile(r"(?:ip )?nhrp map group \S+ service-policy output (?P<policy>\S+)\Z")
"""A policy for each spoke of a DMVPN that asks for it: a use, not a binding to the interface."""
_CLASS: Final = re.compile(r"match class-map (?P<name>\S+)\Z")
_OF_IP: Final = frozenset(
    {"access-group", "traffic-filter", "access-class", "igmp", "multicast", "http", "https", "pim", "nat"}
    | {"admission", "auth-proxy", "msdp", "wccp", "nhrp", "verify", "directed-broadcast", "tcp", "mld"}
)
USERS: Final[Words] = {
    "ip": _OF_IP,
    "ipv6": _OF_IP,
    "access-class": None,
    "match": None,
    "distribute-list": None,
    "rate-limit": None,
    "ntp": None,
    "snmp-server": None,
    "service-policy": None,
    "dialer-list": None,
    "distance": None,
    "mpls": frozenset({"ldp"}),
    "neighbor": None,
    "offset-list": None,
    "redirect": frozenset({"list"}),
    "tag-switching": frozenset({"advertise-tags"}),
    "tftp-server": None,
    "nhrp": frozenset({"map"}),
    "priority-list": None,
    "queue-list": None,
    "traffic-shape": None,
}
"""First words of the lines that can use something, and their second words."""


def references_of(section: str, first: str, text: str) -> tuple[Reference, ...]:
    """The uses in one line; ``section`` is the header it stands under ("" for the top level)."""
    words = text.split()
    if not are_among(words, USERS):
        return ()
    text = " ".join(words)
    by = f"{section} / {text}" if section else text
    if first == "snmp-server":  # the only one of these lines that holds a secret: its community
        by = redact(by)
    if first == "service-policy":
        bound = _BOUND.match(text)
        if bound is None or section.startswith("interface "):
            return ()
        return (Reference("policy-map", bound["policy"], by),)
    per_tunnel = _PER_TUNNEL.match(text)
    if per_tunnel is not None:
        return (Reference("policy-map", per_tunnel["policy"], by),)
    nested = _CLASS.match(text)
    if nested is not None:
        return (Reference("class-map", nested["name"], by),)
    found = _USES.match(text) or (_USES.search(text) if " list " in text else None)
    if found is None:
        return ()
    names = " ".join(filter(None, found.groupdict().values())).split()
    return tuple(Reference("access-list", name, by) for name in names)
