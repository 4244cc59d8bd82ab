"""Whether any practice router knows a line: of one that none knows a refusal says nothing."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from lab.device import Device
from lab.errors import LabError
from lab.release import Release
from lab.spec import RouterSpec
from lab.trains import Train

KINDS = (("cisco-12400", "12.0(33)S"), ("cisco-7200vxr", "12.4(24)T"), ("cisco-iosxe", "17.9.4"))
"""Of each kind of IOS the one that knows most."""
_NOT_KNOWN = ("% Invalid input", "% Ambiguous command", "% Unknown command")


def known(spec: RouterSpec, lines: Sequence[str]) -> bool:
    """Whether some router understands the last of these lines where the others lead, beside what the configuration of `spec`
    holds; it may refuse it all the same.
    """
    return any(_understands(spec, kind, lines) for kind in KINDS)


def _understands(spec: RouterSpec, kind: tuple[str, str], lines: Sequence[str]) -> bool:
    platform, text = kind
    release = Release.parse(text)
    other = replace(
        spec, platform=platform, release=release, train=Train.of(platform, release, {}), engines={}, faults=()
    )
    session = Device(other).open_session("console", privilege=15, console=True)
    session.enter_configuration()
    reply = ""
    try:
        for line in lines:
            reply = session.execute(line)
    except LabError:
        return False
    return not any(words in reply for words in _NOT_KNOWN)
