"""What of MQC a Linux router does not take, and where that is known from; `pipeline.linux` refuses the same by name."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from provisioning.pipeline.platforms.verdicts import Verdict, refused

_NOT_MADE: Final = "nothing of nftables or tc is made of it (`pipeline.linux`)"

VERDICTS: Final[Mapping[str, Verdict]] = {
    "match-not": refused(_NOT_MADE),
    "input-queueing": refused("a queue is for what leaves (tc-htb(8))"),
    "shaper": refused(_NOT_MADE),
    "hierarchy-shape": refused(_NOT_MADE),
    "shape-peak": refused(_NOT_MADE),
    "set-precedence": refused(_NOT_MADE),
    "second-bucket": refused("a token bucket filter has one bucket (tc-tbf(8))"),
    "policer-several": refused(_NOT_MADE),
    "whole-percent": refused("more than there is"),
}
"""Of what is left out instead (`random-detect`, `fair-queue`) every plan says so."""
