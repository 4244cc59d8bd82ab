"""How what is ours is called on a Linux router."""

from __future__ import annotations

import hashlib
import re
from typing import Final

from provisioning.errors import InvalidInput
from provisioning.pipeline.linux.values import DEVICES

_INTERFACE: Final = re.compile(r"[A-Za-z][A-Za-z0-9_.-]{0,14}\Z")
_CLASS: Final = re.compile(r"[A-Za-z][A-Za-z0-9_.-]{0,60}\Z")


def interface(text: str) -> str:
    """The name itself. Raises InvalidInput naming ``interface`` where it is none that nftables and a shell take unquoted."""
    if not _INTERFACE.match(text) or text.startswith(DEVICES):
        raise InvalidInput(f"{text!r:.40} is no name of a Linux interface", field="interface")
    return text


def counter(direction: str, name: str, class_name: str) -> str:
    """The counter of a class: ``in/eth1/EF``. A slash is in no name of an interface or a class."""
    if not _CLASS.match(class_name):
        raise InvalidInput(f"{class_name!r:.60} cannot be part of a name in nftables", field="class")
    return f"{direction}/{name}/{class_name}"


def counted(text: str) -> tuple[str, str, str] | None:
    """Direction, interface and class of a counter; None where the name is none of ours."""
    parts = text.split("/")
    return (parts[0], parts[1], parts[2]) if len(parts) == 3 and parts[0] in ("in", "out") else None


def device(name: str, class_name: str) -> str:
    """The device of the policer of a class on an interface: at most 15 characters, the same every time."""
    return DEVICES + hashlib.sha256(f"{name} {class_name}".encode()).hexdigest()[:12]
