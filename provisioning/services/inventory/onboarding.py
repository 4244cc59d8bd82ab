"""One NREN with one access link as a network file: what a form says of them, read and imported like any other file."""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from inventory.models import Domain, Nren, Router
from inventory.readers.entries import NetworkFile
from inventory.readers.errors import NetworkFileError
from inventory.readers.network_yaml import read_network_text
from provisioning.errors import InvalidInput


@dataclass(frozen=True)
class NewLink:
    """An NREN, new or there already, and the access link that it gets on a router that is there; rates in bit/s."""

    nren: str
    country: str
    prefixes: Sequence[str]
    router: str
    interface: str
    capacity_bps: int
    case: str
    standing: bool = True
    standing_consent: bool = False
    prefix: str = ""
    agreement: str = ""
    dscp_map: Sequence[tuple[int, int]] = ()


def network_with(domain: Domain, new: NewLink) -> NetworkFile:
    """Return a network file of the domain that says this and nothing else. Raises InvalidInput with the field that is wrong."""
    router = Router.objects.select_related("pop").filter(domain=domain, name=new.router).first()
    if router is None:
        raise InvalidInput(f"there is no router {new.router!r:.80}", field="router")
    link: dict[str, Any] = {
        "nren": new.nren,
        "router": router.name,
        "interface": new.interface,
        "capacity_bps": new.capacity_bps,
        "case": new.case,
        "standing": new.standing,
        "standing_consent": new.standing_consent,
    }
    if new.prefix:
        link["prefix"] = new.prefix
    if new.agreement or new.dscp_map:
        link["neighbour"] = {"agreement": new.agreement}
    plain = {
        "domain": {
            "name": domain.name,
            "asn": domain.asn,
            "prefix": str(domain.prefix),
            "scheme": domain.scheme,
            "classes": domain.classes,
            "caps": domain.caps,
            "policer": domain.policer,
            "options": domain.options,
        },
        "routers": [
            {
                "name": router.name,
                "pop": router.pop.name,
                "country": router.pop.country,
                "platform": router.platform,
                "ios": router.ios,
                "roles": router.roles,
                "driver": router.driver,
                "provenance": router.provenance,
            }
        ],
        "nrens": [_nren(new)],
        "access_links": [link],
    }
    pairs = ", ".join(f"{ours}: {theirs}" for ours, theirs in new.dscp_map)
    text = json.dumps(plain)  # JSON is YAML, but for keys that are numbers
    if "neighbour" in link:
        text = text.replace('"neighbour": {', f'"neighbour": {{"dscp": {{{pairs}}}, ', 1)
    try:
        return read_network_text(text.encode(), source=f"form of {new.nren}"[:80])
    except NetworkFileError as error:
        raise InvalidInput(error.reason, field=_field(error.path)) from error


def _nren(new: NewLink) -> dict[str, Any]:
    there = Nren.objects.prefetch_related("prefixes").filter(name=new.nren).first()
    if there is None:
        return {"name": new.nren, "country": new.country, "prefixes": list(new.prefixes)}
    stored = [str(prefix.network) for prefix in there.prefixes.all()]
    return {
        "name": there.name,
        "country": there.country,
        "prefixes": [*stored, *(prefix for prefix in new.prefixes if prefix not in stored)],
        "provenance": there.provenance,
    }


def _field(path: str) -> str:
    """The field of a form behind a place of the file: ``nrens[0].prefixes[1]`` is prefixes."""
    if path.startswith("nrens[0].name"):
        return "nren"
    names = re.findall(r"\.([a-z_]+)", path)
    return (
        names[-1]
        if names and not path.startswith("access_links[0].neighbour")
        else "agreement"
        if names
        else ""
    )
