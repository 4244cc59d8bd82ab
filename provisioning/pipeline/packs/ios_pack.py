"""The pack for a Cisco IOS router: access lists, a class of its own, and a shaper that marks, per platform.

All requests of an NREN share the one output policy of its uplink, PREMIUM-OUT; each adds a class of its own to it.
"""

from __future__ import annotations

from typing import Final

from jinja2 import Environment

from provisioning.pipeline.intent.access_lists import access_list, uses_family
from provisioning.pipeline.mqc import (
    AccessList,
    Action,
    Binding,
    Bps,
    BurstBits,
    ClassMap,
    Match,
    PolicyClass,
    PolicyMap,
    QueueLimit,
    SetField,
    Shape,
)
from provisioning.pipeline.packs.shaping import IosShaper, ios_shaper, why_no_ios_shaper, why_no_shaper
from provisioning.pipeline.packs.values import Kind, Pack, PackOrder, notes
from provisioning.pipeline.platforms import Profile
from provisioning.pipeline.rendering import MqcObject, Renderer
from provisioning.pipeline.units import rate_text

POLICY: Final = "PREMIUM-OUT"


def ios_pack(
    order: PackOrder,
    profile: Profile,
    printer: Renderer,
    templates: Environment,
    *,
    uplink: str | None = None,
) -> Pack:
    """The pack for a router of `profile`; `uplink` is its interface towards the backbone, None when not known.

    Raises InvalidInput naming ``interface`` for an uplink that is none.
    """
    lists = _access_lists(order)
    shaper = ios_shaper(order, profile, uplink)
    wanted: list[MqcObject] = [
        *lists,
        ClassMap(
            order.name,
            "match-any" if len(lists) > 1 else "match-all",
            frozenset(Match("access-group", frozenset({each.name})) for each in lists),
        ),
        PolicyMap(POLICY, (PolicyClass(order.name, frozenset(_actions(order, profile, shaper))),)),
    ]
    bound = [] if uplink is None else [Binding(uplink, None, "output", POLICY)]
    binding = [line for each in bound for line in printer.lines(each, profile)]
    undo = (
        f"policy-map {POLICY}",
        f" no class {order.name}",
        f"no class-map {order.name}",
        *(f"no {printer.lines(each, profile)[0]}" for each in lists),
    )
    last = (
        *(line.replace(" service-policy", " no service-policy") for line in binding),
        f"no policy-map {POLICY}",
    )
    told = (
        _shaped(order, profile, uplink, shaper),
        *notes(order),
        f"{POLICY} is the one output policy of the uplink, shared by all your requests. If the uplink has another "
        f"already, add the class {order.name} to that one instead.",
    )
    text = templates.get_template("ios.j2").render(
        heading=order.heading,
        platform=f"{profile.name} {profile.release}",
        notes=told,
        objects=[printer.lines(each, profile) for each in wanted],
        policy=POLICY,
        binding=binding,
        undo=undo,
        undo_last=last if binding else ("interface UPLINK", f" no service-policy output {POLICY}", last[-1]),
    )
    return Pack(Kind.IOS, f"{order.name.lower()}.ios", text, undo, told)


def _access_lists(order: PackOrder) -> list[AccessList]:
    return [
        access_list(f"{order.name}-V{family}", family, [order.sls])
        for family in (6, 4)
        if uses_family([order.sls], family)
    ]


def _actions(order: PackOrder, profile: Profile, shaper: IosShaper | None) -> list[Action]:
    actions: list[Action] = []
    if shaper is not None:
        # The default excess burst is a whole burst more after a pause; without any the rest of an interval is lost.
        bursts = BurstBits(shaper.burst_bits), BurstBits(shaper.excess_bits)
        actions.append(Shape("average", Bps(shaper.rate_bps), *bursts))
    if order.sets_dscp:
        actions.append(SetField("dscp", order.dscp))
    if profile.hqf and shaper is not None:
        actions.append(QueueLimit(shaper.queue_packets))
    return actions


def _shaped(order: PackOrder, profile: Profile, uplink: str | None, shaper: IosShaper | None) -> str:
    """What is shaped and how, or why nothing is."""
    if shaper is None:
        return why_no_shaper(order) or why_no_ios_shaper(order, profile, uplink)
    return (
        f"Shaped to {rate_text(shaper.rate_bps)} with the header of layer 2, which this router counts: "
        f"{rate_text(order.sls.rate.bps)} of layer 3 in packets of {order.sls.smallest_packet_bytes} bytes "
        f"({shaper.framing.name}, {shaper.framing.header_bytes} bytes a packet). What conforms is never dropped and waits "
        f"{shaper.wait_ms} ms at most."
    )
