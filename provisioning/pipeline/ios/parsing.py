"""The two ways of reading a text: of a router, and of somebody who lists objects."""

from __future__ import annotations

from contextlib import suppress

from provisioning.pipeline.ios.contents import EnteredAgainError
from provisioning.pipeline.ios.dialects import is_of_a_router
from provisioning.pipeline.ios.known import Known
from provisioning.pipeline.ios.lines import clean
from provisioning.pipeline.ios.reader import Reader
from provisioning.pipeline.mqc import RunningConfig
from provisioning.pipeline.platforms import Profile


def _default_mode(platform: Profile | None) -> str:
    return platform.class_map_default_mode if platform is not None else "match-all"


def _read(text: str, platform: Profile | None, known: Known | None, *, strict: bool) -> RunningConfig:
    mode = _default_mode(platform)
    sections = (known or Known()).sections(strict=strict, default_mode=mode)
    with suppress(EnteredAgainError):
        return Reader(text, strict=strict, default_mode=mode, known=sections).read()
    return Reader(text, strict=strict, default_mode=mode).read()


def parse(text: str, platform: Profile | None = None, known: Known | None = None) -> RunningConfig:
    """What a running-config, or a part of one, holds of QoS; lines that are not QoS are passed over.

    Raises ParseFailure with line and reason: empty, binary, too long, no configuration at all, IOS-XR or
    NX-OS, a whole running-config without its ``end``, a banner or certificate without its end, a router's
    error message, a value that IOS has not. Texts read with the same ``known`` share what they have in common;
    that makes no difference but in time.
    """
    return _read(clean(text), platform, known, strict=False)


def parse_fragment(text: str, platform: Profile | None = None, known: Known | None = None) -> RunningConfig:
    """A bare list of MQC objects, access lists and interfaces, as Appendix A is one; a whole running-config
    too.

    Raises ParseFailure as ``parse`` does, and in a bare list also for any other line: of what somebody
    intends nothing may be passed over.
    """
    text = clean(text)
    return _read(text, platform, known, strict=not is_of_a_router(text))
