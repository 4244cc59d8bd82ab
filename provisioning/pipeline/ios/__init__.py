"""Text of IOS and IOS-XE -> the canonical model (ios-facts section 1). Nothing read is dropped: a match or
an action without a name of its own is opaque, a text that is cut off or of another system is refused, with
its line.
"""

from __future__ import annotations

from provisioning.pipeline.ios.around import Around, parse_around, refuse_not_understood
from provisioning.pipeline.ios.intended import Intended, parse_intended
from provisioning.pipeline.ios.known import Known
from provisioning.pipeline.ios.parsing import parse, parse_fragment
from provisioning.pipeline.ios.redaction import redact

__all__ = [
    "Around",
    "Intended",
    "Known",
    "parse",
    "parse_around",
    "parse_fragment",
    "parse_intended",
    "redact",
    "refuse_not_understood",
]
