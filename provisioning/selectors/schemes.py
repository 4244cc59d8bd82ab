"""The schemes that ship with Expedite, read from their YAML files."""

from __future__ import annotations

import re
from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import Any, Literal, cast

import yaml

from inventory.models import Domain
from provisioning.errors import InvalidInput
from provisioning.pipeline.scheme import Scheme, check, from_mapping

DIRECTORY = Path(__file__).resolve().parent.parent / "schemes"
_NAME = re.compile(r"[a-z0-9][a-z0-9-]{0,39}")


def scheme_names() -> tuple[str, ...]:
    """The names that ``load_scheme`` knows, sorted."""
    return tuple(sorted(found.stem for found in DIRECTORY.glob("*.yaml")))


@cache
def load_scheme(name: str) -> Scheme:
    """The scheme of that name; raises InvalidInput (file, path, reason) when there is none or its file is not
    sound.
    """
    file = DIRECTORY / f"{name}.yaml"
    if not _NAME.fullmatch(name) or not file.is_file():
        raise InvalidInput(f"no scheme {name!r:.60}; there is {', '.join(scheme_names())}", field="scheme")
    try:
        data = yaml.safe_load(file.read_text(encoding="utf-8"))
    except yaml.YAMLError as error:
        raise InvalidInput(f"{file.name} is not YAML: {error}", field="scheme") from error
    try:
        scheme = from_mapping(data)
    except InvalidInput as error:
        raise InvalidInput(f"{file.name}: {error.reason}", field=error.field) from error
    if scheme.name != name:
        raise InvalidInput(f"{file.name} calls itself {scheme.name!r}", field="name")
    return scheme


def scheme_of(domain: Domain) -> Scheme:
    """The scheme a domain runs, with the policer and the options the domain has chosen; raises as ``load_scheme`` does,
    for an option that the scheme does not have, and for a choice the scheme is not sound with (three classes of one pool
    each policed to its cap).
    """
    return _chosen(domain.scheme, domain.policer, tuple(sorted(domain.options.items())))


@cache
def _chosen(name: str, policer: str, options: tuple[tuple[str, Any], ...]) -> Scheme:
    scheme = load_scheme(name)
    if policer not in ("cap", "grants"):
        raise InvalidInput(f"a policer is cap or grants, not {policer!r:.40}", field="policer")
    for option, value in options:
        if option not in scheme.options or not isinstance(value, bool):
            known = ", ".join(scheme.options) or "none"
            raise InvalidInput(
                f"scheme {name} has no option {option!r:.60} that is {value!r:.20}; it has {known}, on or off",
                field="options",
            )
    chosen = replace(
        scheme, policer=cast(Literal["cap", "grants"], policer), options={**scheme.options, **dict(options)}
    )
    try:
        check(chosen)
    except InvalidInput as error:
        raise InvalidInput(
            f"scheme {name} with policer {policer}: {error.reason}", field=error.field
        ) from error
    return chosen
