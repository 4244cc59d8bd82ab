"""A neighbouring domain with an agreement: its DSCPs become ours where it enters, and ours its own where we leave.

D4.4.2v2 section 2.2: "If the DSCP value for the same service is different in two neighbor networks, all traffic passing
through the network boundaries must have the DSCP value changed (remarked) to the correct local value." And "it is common
for each provider to police ingress traffic": such a link is always policed to the sum of what was granted through it.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace

from provisioning.errors import InvalidInput
from provisioning.pipeline.scheme import (
    CLASS_DEFAULT,
    NEIGHBOUR_OUT,
    ClassMapTemplate,
    ClassTemplate,
    PolicyTemplate,
    Scheme,
)
from provisioning.pipeline.scheme.templates import MatchTemplate
from provisioning.pipeline.topology import AccessLinkValue


@dataclass(frozen=True)
class Translated:
    """A class as it enters: the class-map by the neighbour's DSCP, and the DSCP of ours it becomes."""

    class_map: ClassMapTemplate
    entry: ClassTemplate


def inward(scheme: Scheme, link: AccessLinkValue, entry: ClassTemplate) -> Translated | None:
    """The class `entry` of an input policy by the neighbour's DSCP; None where the map says nothing about it.

    Raises InvalidInput (field dscp_map) for a class of several DSCPs: what enters under one of the neighbour's could not
    become each of them.
    """
    theirs = dict(link.dscp_map)
    if not theirs or entry.class_name == CLASS_DEFAULT:
        return None
    found = scheme.class_maps[entry.class_name]
    if found.access_list is not None or not found.dscps & theirs.keys():
        return None
    ours = _only(found.dscps, entry.class_name, link)
    name = f"{entry.class_name}-D{theirs[ours]}"
    matched = ClassMapTemplate(name, "match-all", (MatchTemplate("dscp", theirs[ours]),))
    marked = entry.set_dscp if entry.set_dscp is not None else ours
    return Translated(matched, replace(entry, class_name=name, set_dscp=marked))


def outward(scheme: Scheme, link: AccessLinkValue, output: PolicyTemplate | None) -> PolicyTemplate | None:
    """The output policy of the link: the scheme's own, if it has one, with our DSCPs made the neighbour's."""
    theirs = dict(link.dscp_map)
    if not theirs:
        return output
    if output is None:
        classes = tuple(
            ClassTemplate(_class_of(scheme, ours, link), set_dscp=theirs[ours]) for ours in sorted(theirs)
        )
        return PolicyTemplate(NEIGHBOUR_OUT, classes)
    return PolicyTemplate(NEIGHBOUR_OUT, tuple(_marking(scheme, each, theirs) for each in output.classes))


def _marking(scheme: Scheme, entry: ClassTemplate, theirs: Mapping[int, int]) -> ClassTemplate:
    if entry.class_name == CLASS_DEFAULT or entry.set_dscp is not None:
        return entry
    (ours, *others) = sorted(scheme.class_maps[entry.class_name].dscps)
    return entry if others or ours not in theirs else replace(entry, set_dscp=theirs[ours])


def _class_of(scheme: Scheme, dscp: int, link: AccessLinkValue) -> str:
    """The class-map of the scheme that takes exactly this DSCP."""
    for name in sorted(scheme.class_maps):
        found = scheme.class_maps[name]
        if found.access_list is None and found.emit is None and found.dscps == {dscp}:
            return name
    raise InvalidInput(f"{link.id}: scheme {scheme.name} has no class of DSCP {dscp} alone", field="dscp_map")


def _only(dscps: frozenset[int], name: str, link: AccessLinkValue) -> int:
    if len(dscps) != 1:
        raise InvalidInput(
            f"{link.id}: class {name} has several DSCPs; a neighbour's cannot become each of them",
            field="dscp_map",
        )
    return next(iter(dscps))
