"""What of a row a person may edit: its fields by name, as values and as text, and what a value of each has to be."""

from __future__ import annotations

import ipaddress
import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import Any, Final

from django.core.exceptions import ValidationError
from django.db import models

from inventory.fields import IPNetwork
from inventory.models import AccessLink, CoreLink, Domain, Interface, LineCard, Nren, Peering, Prefix, Router
from inventory.readers import names
from inventory.readers.errors import NetworkFileError
from inventory.readers.section import Section
from provisioning.errors import InvalidFields, InvalidInput
from provisioning.pipeline.platforms import profile
from provisioning.services.inventory.contradictions import why_not_driven
from provisioning.services.inventory.rows import spell

Row = AccessLink | CoreLink | Interface | LineCard | Nren | Peering | Router

PREFIXES: Final = "prefixes"
"""The field of an NREN that is rows of their own."""


@dataclass(frozen=True)
class Kind:
    """One kind of row: what it is called in an address and in a sentence, and the fields that a person may edit."""

    slug: str
    spoken: str
    model: type[models.Model]
    fields: tuple[str, ...]


KINDS: Final[tuple[Kind, ...]] = (
    Kind("nren", "NREN", Nren, ("name", "country", PREFIXES)),
    Kind(
        "router",
        "router",
        Router,
        (
            "platform",
            "ios",
            "roles",
            "driver",
            "management_host",
            "management_port",
            "ssh_profile",
            "host_key",
        ),
    ),
    Kind("line-card", "line card", LineCard, ("engine",)),
    Kind(
        "interface",
        "interface",
        Interface,
        ("description", "pvc", "line_rate_bps", "bw_bps", "usable_bps", "exempt_reason"),
    ),
    Kind(
        "access-link",
        "access link",
        AccessLink,
        ("case", "standing", "standing_consent", "source_filter", "agreement", "dscp_map", "prefix"),
    ),
    Kind("core-link", "core link", CoreLink, ("metric", "down", "prefix")),
    Kind("peering", "peering", Peering, ("peer", "prefix")),
)
BY_SLUG: Final[Mapping[str, Kind]] = {kind.slug: kind for kind in KINDS}


def kind_of(row: models.Model) -> Kind:
    """Return the kind of a row."""
    return next(kind for kind in KINDS if kind.model is type(row))


def domain_of(row: Row) -> Domain:
    """Return the domain whose network a row is of."""
    if isinstance(row, AccessLink):
        return row.nren.domain
    if isinstance(row, Interface | LineCard):
        return row.router.domain
    return row.domain


def values_of(row: models.Model) -> dict[str, Any]:
    """Return the editable fields of a row as they are stored; networks of an NREN in their order."""
    found: dict[str, Any] = {}
    for name in kind_of(row).fields:
        if name == PREFIXES:
            rows = Prefix.objects.filter(nren=row.pk).order_by("network")
            found[name] = [str(network) for network in rows.values_list("network", flat=True)]
        else:
            found[name] = getattr(row, name)
    return found


def spelled(values: Mapping[str, Any]) -> dict[str, str]:
    """Return values as people read them, and as they are held against what was read before."""
    return {name: spell(value) for name, value in values.items()}


def put_values(row: Row, values: Mapping[str, Any]) -> None:
    """Bring a row to these values and store it. Raises InvalidFields with everything that is wrong with it."""
    errors: list[InvalidInput] = []
    own = [name for name in values if name != PREFIXES]
    for name in own:
        setattr(row, name, values[name])
    errors += _wrong(row)
    try:
        row.full_clean(exclude=[field.name for field in row._meta.fields if field.name not in own])
    except ValidationError as error:
        said = error.error_dict if hasattr(error, "error_dict") else {"": error.error_list}
        named = {one.field for one in errors}
        for name, several in said.items():
            field = name if name in own else None
            if field not in named:
                errors += [InvalidInput("; ".join(ValidationError(several).messages), field=field)]
    networks = None
    if PREFIXES in values:
        try:
            networks = networks_of(values[PREFIXES])
        except InvalidInput as error:
            errors.append(error)
    if errors:
        raise InvalidFields(errors)
    row.save(update_fields=own)
    if networks is not None:
        _put_prefixes(row, networks)


def networks_of(texts: Iterable[object]) -> list[IPNetwork]:
    """Return networks in their order. Raises InvalidInput (field prefixes) for one that is none, or that overlaps another."""
    found: list[IPNetwork] = []
    for text in texts:
        try:
            network = ipaddress.ip_network(str(text).strip())
        except ValueError as error:
            raise InvalidInput(
                f"{str(text)[:60]!r} is no network, such as 2001:db8::/32", field=PREFIXES
            ) from error
        if other := next((one for one in found if one.overlaps(network)), None):
            raise InvalidInput(f"{network} overlaps {other}", field=PREFIXES)
        found.append(network)
    return sorted(found, key=lambda one: (one.version, one))


def _put_prefixes(nren: models.Model, networks: Iterable[IPNetwork]) -> None:
    wanted = list(networks)
    Prefix.objects.filter(nren=nren.pk).exclude(network__in=wanted).delete()
    there = set(Prefix.objects.filter(nren=nren.pk).values_list("network", flat=True))
    for network in wanted:
        if network not in there:
            Prefix(nren_id=nren.pk, network=network).save(force_insert=True)  # type: ignore[misc]


def _wrong(row: Row) -> list[InvalidInput]:
    """What is wrong with a row beyond what its columns say: what a network file could not say of it either."""
    found: list[InvalidInput] = []
    for name, check in _CHECKS.get(type(row), {}).items():
        value = getattr(row, name)
        if value == "" and name in _MAY_BE_EMPTY:
            continue
        try:
            check(Section("", "", {name: value}), name)
        except NetworkFileError as error:
            found.append(InvalidInput(error.reason, field=name))
    if isinstance(row, Nren):
        links = list(row.access_links.order_by("name").values_list("name", flat=True)[:5])
        if links and any(not link.startswith(f"{row.name}@") for link in links):
            found.append(InvalidInput(f"links carry the name: {', '.join(links)}", field="name"))
    if isinstance(row, Router):
        found += _wrong_platform(row)
    if isinstance(row, AccessLink):
        if row.agreement and row.case != "trusted":
            found.append(InvalidInput("a neighbour marks, so its link is trusted", field="case"))
        if row.dscp_map and not row.agreement:
            found.append(InvalidInput("only a neighbour with an agreement has other DSCPs", field="dscp_map"))
        found += _wrong_map(row)
    if isinstance(row, Interface):
        if row.bw_bps % 1000:
            found.append(InvalidInput("whole kbit/s, as a router counts BW", field="bw_bps"))
        if row.usable_bps > row.line_rate_bps:
            found.append(InvalidInput("more than the line rate", field="usable_bps"))
    return found


def _text(section: Section, name: str) -> str:
    return section.text(name, longest=200)


def _engine(section: Section, name: str) -> str:
    value = section.text(name, longest=40)
    if not re.fullmatch(r"[0-9]\+?", value):
        section.fail("must be a forwarding engine such as 3 or 4+", name)
    return value


_CHECKS: Final[Mapping[type, Mapping[str, Callable[[Section, str], str]]]] = {
    Nren: {"name": names.organisation_name, "country": names.country},
    Router: {
        "platform": names.platform,
        "ios": names.ios_release,
        "management_host": names.management_host,
        "host_key": names.host_key,
    },
    LineCard: {"engine": _engine},
    Interface: {"pvc": names.pvc, "description": _text, "exempt_reason": _text},
    AccessLink: {"source_filter": _text, "agreement": _text},
    Peering: {"peer": names.organisation_name},
}
_MAY_BE_EMPTY: Final = frozenset(
    {"management_host", "host_key", "pvc", "description", "exempt_reason", "source_filter", "agreement"}
)


def _wrong_platform(router: Router) -> list[InvalidInput]:
    found = []
    try:
        profile(router.platform, router.ios)
    except InvalidInput as error:
        found.append(InvalidInput(error.reason, field=error.field if error.field == "ios" else "platform"))
    if why := why_not_driven(router.platform, router.driver):
        found.append(InvalidInput(why, field="driver"))
    if not router.roles or set(router.roles) - {"core", "access"}:
        found.append(InvalidInput("core, access or both", field="roles"))
    return found


def _wrong_map(row: AccessLink) -> list[InvalidInput]:
    known = {entry["dscp"]: entry["name"] for entry in row.nren.domain.classes}
    ours = {int(dscp): int(theirs) for dscp, theirs in row.dscp_map.items()}
    found = [
        f"{dscp} to {theirs}: a DSCP is 0 to 63"
        for dscp, theirs in ours.items()
        if not (0 <= dscp <= 63 and 0 <= theirs <= 63)
    ]
    found += [
        f"{theirs} is {known[theirs]} here and would be taken for the class of {dscp}"
        for dscp, theirs in ours.items()
        if theirs != dscp and theirs in known and theirs not in ours
    ]
    return [InvalidInput("; ".join(found), field="dscp_map")] if found else []
