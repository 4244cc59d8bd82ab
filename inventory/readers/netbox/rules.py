"""The rules file: which objects of a NetBox are taken, and as what. What it does not say is not guessed."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from inventory.readers import names
from inventory.readers.errors import Gather, with_lines
from inventory.readers.reading import CASES, DRIVERS, ROLES, SSH_PROFILES, read_domain
from inventory.readers.section import Section, kind_of
from inventory.readers.yaml_text import Plain, read_yaml

FIELDS = (
    "country", "ios", "driver", "host_key", "ssh_profile", "engine", "case", "standing", "standing_consent", "source_filter",
    "usable_bps", "bw_bps", "pvc", "metric", "exempt_reason", "nren",
)  # fmt: skip
"""What a custom field may say of an object; `Rules.fields` has the name that NetBox calls it."""

_SLUG = re.compile(r"[-a-zA-Z0-9_]{1,100}")
_FIELD_NAME = re.compile(r"[a-z0-9_]{1,50}")


@dataclass(frozen=True)
class Rules:
    """What is taken of a NetBox. Keys of mappings are slugs, of `engines` models of module types.

    `domain` is the section of that name of the network file that is made. `port` is None where no address is taken from NetBox.
    """

    domain: dict[str, Any]
    roles: Mapping[str, tuple[str, ...]]
    platforms: Mapping[str, str]
    countries: Mapping[str, str]
    groups: tuple[str, ...]
    fields: Mapping[str, str]
    engines: Mapping[str, str]
    prefix_roles: tuple[str, ...] = ()
    peering_types: tuple[str, ...] = ()
    tag: str = ""
    suffix: str = ""
    driver: str = "netmiko"
    port: int | None = None
    ssh_profile: str = "legacy"
    case: str = ""
    standing: bool = True


def read_rules(path: Path) -> Rules:
    """Return the rules in the file at `path`. Raises NetworkFileError (SeveralFaults: everything that is wrong)."""
    lines: dict[str, int] = {}
    plain = read_yaml(path, lines)
    gather = Gather()
    rules = gather(_rules, str(path), plain)
    if gather.found:
        try:
            gather.end()
        except ValueError as error:
            raise with_lines(error, lines) from error  # type: ignore[arg-type]
    found: Rules = rules
    return found


def _rules(source: str, plain: Plain) -> Rules:
    root = Section(source, "", plain)
    gather = Gather()
    domain = root.take("domain")
    gather(lambda: read_domain(Section(source, "domain", domain)))
    inner = {
        key: Section(source, key, root.take(key, {}))
        for key in ("routers", "sites", "nrens", "access_links", "peerings")
    }
    routers, sites, nrens = inner["routers"], inner["sites"], inner["nrens"]
    access, peerings = inner["access_links"], inner["peerings"]
    management = routers.take("management", None)
    reached: Section | None = None
    if management is not None:
        reached = gather(lambda: Section(source, "routers.management", management))
    fields: dict[str, Any] = {
        "domain": domain,
        "roles": gather(_roles, routers),
        "platforms": gather(_mapped, routers, "platforms", _SLUG, _platform),
        "engines": gather(_mapped, routers, "engines", None, _engine, {}),
        "tag": gather(_slug, routers, "tag", ""),
        "suffix": gather(routers.text, "suffix", "", longest=190),
        "driver": gather(routers.choice, "driver", DRIVERS, "netmiko"),
        "port": None if reached is None else gather(reached.integer, "port", 22, lowest=1, highest=65535),
        "ssh_profile": "legacy"
        if reached is None
        else gather(reached.choice, "ssh_profile", SSH_PROFILES, "legacy"),
        "countries": gather(_mapped, sites, "countries", _SLUG, _country, {}),
        "groups": gather(_slugs, nrens, "groups"),
        "prefix_roles": gather(_slugs, nrens, "prefix_roles", []),
        "case": gather(access.choice, "case", (*CASES, ""), ""),
        "standing": gather(access.flag, "standing", True),
        "peering_types": gather(_slugs, peerings, "circuit_types", []),
        "fields": gather(_fields, Section(source, "fields", root.take("fields", {}))),
    }
    for section in (root, *inner.values(), *([reached] if reached else [])):
        gather(section.close)
    gather.end()
    return Rules(**fields)


def _roles(section: Section) -> dict[str, tuple[str, ...]]:
    inner = Section(section.file, section.at("roles"), section.take("roles"))
    gather = Gather()
    found = {}
    for slug in inner.given():
        _checked(inner, slug, _SLUG, gather)
        said = gather(inner.items, slug) or []
        if not said or set(map(str, said)) - set(ROLES) or len(set(map(str, said))) != len(said):
            gather(inner.fail, "must be core, access or both, as a list", str(slug))
        found[str(slug)] = tuple(map(str, said))
    if not found:
        gather(section.fail, "must name the device roles that are routers here", "roles")
    gather.end()
    return found


def _mapped(
    section: Section, key: str, pattern: re.Pattern[str] | None, read: Any, *default: Any
) -> dict[str, str]:
    inner = Section(section.file, section.at(key), section.take(key, *default))
    gather = Gather()
    found = {}
    for one in inner.given():
        if pattern is not None:
            _checked(inner, one, pattern, gather)
        found[str(one)] = gather(read, inner, one)
    gather.end()
    return found


def _platform(section: Section, key: str) -> str:
    return names.platform(section, key)


def _country(section: Section, key: str) -> str:
    return names.country(section, key)


def _engine(section: Section, key: str) -> str:
    value = section.take(key)
    text = str(value) if isinstance(value, int) and not isinstance(value, bool) else value
    if not isinstance(text, str) or not re.fullmatch(r"[0-9]\+?", text):
        section.fail("must be a forwarding engine such as 3 or 4+", key)
    return text


def _slug(section: Section, key: str, *default: str) -> str:
    value = section.take(key, *default)
    if value in default:
        return str(value)
    if not isinstance(value, str) or not _SLUG.fullmatch(value):
        section.fail("must be a slug: letters, digits, - and _", key)
    return value


def _slugs(section: Section, key: str, *default: list[str]) -> tuple[str, ...]:
    values = section.items(key, *default)
    for index, value in enumerate(values):
        if not isinstance(value, str) or not _SLUG.fullmatch(value):
            section.fail(f"must be a slug, not {kind_of(value)}", f"{key}[{index}]")
    if not values and not default:
        section.fail("must name one at least", key)
    return tuple(values)


def _fields(section: Section) -> dict[str, str]:
    gather = Gather()
    found = {}
    for key in section.given():
        value = section.take(key)
        if key not in FIELDS:
            gather(section.fail, f"is none of {', '.join(FIELDS)}", str(key))
        elif not isinstance(value, str) or not _FIELD_NAME.fullmatch(value):
            gather(section.fail, "must be the name of a custom field: small letters, digits and _", key)
        else:
            found[key] = value
    gather.end()
    return found


def _checked(section: Section, key: object, pattern: re.Pattern[str], gather: Gather) -> None:
    if not isinstance(key, str) or not pattern.fullmatch(key):
        gather(section.fail, "must be a slug: letters, digits, - and _", str(key))
