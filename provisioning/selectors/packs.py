"""The pack for a request: rows to values, the shaper kept to what was granted, the templates handed in."""

from __future__ import annotations

from dataclasses import replace
from functools import cache
from pathlib import Path

from jinja2 import Environment

from inventory.models import AccessCase
from provisioning.errors import Conflict, InvalidInput
from provisioning.models import PremiumRequest
from provisioning.pipeline.advice import Advice, Traffic, advise
from provisioning.pipeline.packs import Kind, Pack, PackOrder, ios_pack, linux_pack
from provisioning.pipeline.platforms import IOS_XE, profile
from provisioning.pipeline.rendering import Renderer
from provisioning.pipeline.sls import Sls
from provisioning.selectors.requests import sls_of
from provisioning.selectors.schemes import scheme_of
from provisioning.selectors.templates import ios_environment, shared_ios_environment

PACK_TEMPLATES = Path(__file__).resolve().parents[2] / "templates" / "packs"


def pack_for(
    request: PremiumRequest,
    kind: str,
    *,
    traffic: str = Traffic.REAL_TIME,
    platform: str = "",
    ios: str = "",
    uplink: str = "",
) -> Pack:
    """The configuration of the sender's own side.

    `platform` and `ios` are the NREN's router (IOS-XE when not said), for an IOS pack only; `uplink` its interface
    towards the backbone, empty when it is not known. Raises InvalidInput naming ``for``, ``traffic``, ``platform``,
    ``ios``, ``uplink`` or ``interface``; Conflict for a class that the domain's scheme no longer has.
    """
    wanted = Kind.parse(kind)
    sls = sls_of(request)
    spelled = profile(platform or IOS_XE, ios) if wanted is Kind.IOS else None
    advice = advise(sls.rate, Traffic.parse(traffic), sls.max_packet_bytes, profile=spelled)
    link = request.source_link
    order = PackOrder(
        number=request.pk,
        sls=sls,
        dscp=_dscp(request),
        marks=link.case != AccessCase.FILTERED,
        advice=_within_the_grant(advice, sls),
    )
    if spelled is None:
        return linux_pack(order, _templates(), uplink=uplink or None)
    printer = Renderer(shared_ios_environment(), spelled)
    return ios_pack(order, spelled, printer, _templates(), uplink=uplink or None)


def _dscp(request: PremiumRequest) -> int:
    try:
        return scheme_of(request.source_link.nren.domain).service_class(request.service_class).dscp
    except InvalidInput as error:
        raise Conflict(f"{error.reason}: there is nothing left to mark {request.reference} as") from error


def _within_the_grant(advice: Advice, sls: Sls) -> Advice:
    """A shaper a little above its policer would take from others: the policer here stands for a whole access link."""
    return replace(advice, shaper=replace(advice.shaper, rate=min(advice.shaper.rate, sls.rate)))


@cache
def _templates() -> Environment:
    return ios_environment(PACK_TEMPLATES)
