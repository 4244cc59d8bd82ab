"""The schemes that ship with Expedite, and the operator's own (SCHEMES_DIR), read from their YAML files."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import Any, Literal, cast

from django.conf import settings

from inventory.models import Domain
from provisioning.errors import InvalidInput
from provisioning.pipeline.scheme import Scheme, check, from_mapping

DIRECTORY = Path(__file__).resolve().parent.parent / "schemes"
_NAME = re.compile(r"[a-z0-9][a-z0-9-]{0,39}")


def scheme_names() -> tuple[str, ...]:
    """The names that ``load_scheme`` knows, sorted."""
    return tuple(sorted({file.stem for file in _files()}))


def load_scheme(name: str) -> Scheme:
    """The scheme of that name; raises InvalidInput (file, path, reason) when there is none or its file is not
    sound.
    """
    return _loaded(name)[0]


def scheme_text(name: str) -> str:
    """The text of the file that `load_scheme` read in this process, whatever is in the file by now; raises as it does."""
    return _loaded(name)[1]


@cache
def _loaded(name: str) -> tuple[Scheme, str]:
    file = next((found for found in _files() if found.stem == name), None)
    if file is None or not _NAME.fullmatch(name):
        there = ", ".join(scheme_names())
        raise InvalidInput(
            f"no scheme {name!r:.60}; there is {there}, and no other in SCHEMES_DIR", field="scheme"
        )
    try:
        return _read(file)
    except InvalidInput as error:
        raise InvalidInput(f"{file.name}: {error.reason}", field=error.field) from error


def unsound_schemes() -> list[str]:
    """What is wrong with the operator's own schemes, each with file, path in it and reason; read afresh."""
    if not settings.SCHEMES_DIR:
        return []
    if not Path(settings.SCHEMES_DIR).is_dir():
        return [f"{settings.SCHEMES_DIR}: SCHEMES_DIR is no directory"]
    found = [
        f"{file}: name: a scheme's file is called NAME.yaml"
        for file in sorted(Path(settings.SCHEMES_DIR).glob("*.yml"))
    ]
    for file in _yaml_of(Path(settings.SCHEMES_DIR)):
        try:
            _read(file)
        except InvalidInput as error:
            found.append(f"{file}: {error}")
    return found


def _files() -> tuple[Path, ...]:
    """Every scheme's file; those that ship come first and cannot be replaced."""
    return (*_yaml_of(DIRECTORY), *(_yaml_of(Path(settings.SCHEMES_DIR)) if settings.SCHEMES_DIR else ()))


def _yaml_of(directory: Path) -> list[Path]:
    return sorted(directory.glob("*.yaml"))


def _read(file: Path) -> tuple[Scheme, str]:
    """The scheme in a file, and the file's text; raises InvalidInput, its field the path inside the file."""
    if not _NAME.fullmatch(file.stem):
        raise InvalidInput("a scheme's file is named in small letters, digits and hyphens", field="name")
    if file.parent != DIRECTORY and (DIRECTORY / file.name).is_file():
        raise InvalidInput("a scheme of this name ships with Expedite", field="name")
    try:
        text = file.read_bytes()
    except OSError as error:
        raise InvalidInput(f"it cannot be read: {error.strerror}", field="scheme") from error
    scheme = _parsed(text, file.name)
    if scheme.name != file.stem:
        raise InvalidInput(f"it calls itself {scheme.name!r}", field="name")
    return scheme, text.decode()


def _parsed(text: bytes, source: str) -> Scheme:
    # Loaded by whoever reads a scheme: YAML takes longer to load than to read one, and most commands read none.
    from inventory.readers.errors import NetworkFileError
    from inventory.readers.yaml_text import parse_yaml

    try:
        data = parse_yaml(text, source=source)
    except NetworkFileError as error:
        reason = error.reason if error.path else f"it is not YAML: {error.reason}"
        raise InvalidInput(reason, field=error.path or "scheme") from error
    if not isinstance(data, dict):
        raise InvalidInput("a mapping is needed", field="scheme")
    return from_mapping(data)


def scheme_from(text: str, *, policer: str, options: Mapping[str, Any]) -> Scheme:
    """The scheme that a kept text says, with these choices of a domain; raises InvalidInput where it is not sound."""
    return _with_choices(_parsed(text.encode(), "scheme"), policer, tuple(sorted(options.items())))


def scheme_of(domain: Domain) -> Scheme:
    """The scheme a domain runs, with the policer and the options the domain has chosen; raises as ``load_scheme`` does,
    for an option that the scheme does not have, and for a choice the scheme is not sound with (three classes of one pool
    each policed to its cap).
    """
    return _chosen(domain.scheme, domain.policer, tuple(sorted(domain.options.items())))


@cache
def _chosen(name: str, policer: str, options: tuple[tuple[str, Any], ...]) -> Scheme:
    return _with_choices(load_scheme(name), policer, options)


def _with_choices(scheme: Scheme, policer: str, options: tuple[tuple[str, Any], ...]) -> Scheme:
    name = scheme.name
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
