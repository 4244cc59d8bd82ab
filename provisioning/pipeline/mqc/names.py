"""Names of IOS objects, and the versions of one: BASE, BASE-2, BASE-3 (architecture, "Ownership")."""

from __future__ import annotations

import re

from provisioning.errors import InvalidInput

_VERSIONED = re.compile(r"(?P<base>.+)-(?P<version>[2-9]|[1-9][0-9]+)\Z")
_UNPRINTABLE = re.compile(r"[\s\x00-\x1f\x7f]")


def checked_name(value: str, field: str) -> str:
    """The name itself; raises InvalidInput when IOS could not take it as one word of a line."""
    if not isinstance(value, str) or not value:
        raise InvalidInput("a name is missing", field=field)
    if not (value.isprintable() and " " not in value) and _UNPRINTABLE.search(value):
        raise InvalidInput(f"{value!r} holds a blank or a control character", field=field)
    return value


def base_name(name: str) -> tuple[str, int]:
    """The base and version of an object's name: ``TRUSTED-IN-2`` is ("TRUSTED-IN", 2), ``TRUSTED-IN``
    version 1.
    """
    found = _VERSIONED.match(name)
    return (found["base"], int(found["version"])) if found else (name, 1)


def versioned_name(base: str, version: int) -> str:
    """The name of one version of a base: version 1 is the base itself. Raises InvalidInput below 1."""
    if version < 1:
        raise InvalidInput(f"{version} is not a version", field="version")
    return base if version == 1 else f"{base}-{version}"


def one_line(text: str, field: str) -> str:
    """Free text of one line with runs of blanks collapsed (quoted text kept); raises InvalidInput on a line
    end.
    """
    if "\n" in text or "\r" in text or "\x00" in text:
        raise InvalidInput("the text holds a line end", field=field)
    return text.strip() if '"' in text else " ".join(text.split())
