"""A configuration that somebody intends: nothing in it is passed over, and each line of ours is understood to its last word."""

from __future__ import annotations

from typing import NamedTuple

from provisioning.errors import ParseFailure
from provisioning.pipeline.ios.dialects import is_of_a_router
from provisioning.pipeline.ios.grammar import Understanding
from provisioning.pipeline.ios.lines import clean
from provisioning.pipeline.ios.reader import Reader
from provisioning.pipeline.mqc import RunningConfig
from provisioning.pipeline.platforms import Profile


class Intended(NamedTuple):
    """What is intended, and how each line of it was understood."""

    config: RunningConfig
    understanding: Understanding


def parse_intended(text: str, platform: Profile | None = None) -> Intended:
    """A bare list of MQC objects, access lists and interfaces, or a whole running-config, as a person typed it.

    Raises ParseFailure as ``parse_fragment`` does, with the column too, and for every line of a class-map, policy-map, access
    list or interface that is not IOS to its last word, with the ranges of the platform; without one with the widest of any.
    """
    text = clean(text)
    of_a_router = is_of_a_router(text)
    mode = "match-all" if platform is None else platform.class_map_default_mode
    understanding = Understanding(platform, of_a_router=of_a_router)
    try:
        reader = Reader(text, strict=not of_a_router, default_mode=mode, understanding=understanding)
        return Intended(reader.read(), understanding)
    except ParseFailure as wrong:
        if wrong.line and not wrong.column:
            line = "".join(text.split("\n")[wrong.line - 1 : wrong.line])
            wrong.column = len(line) - len(line.lstrip()) + 1 if line.strip() else 0
        raise
