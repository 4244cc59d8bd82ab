"""Approval given ahead: the lines and the effect of a plan as values, and whether what was approved covers a plan (ADR 22)."""

from provisioning.pipeline.ahead.covering import Covered, Part, covers_effect, covers_lines
from provisioning.pipeline.ahead.effect import Effect, InterfaceEffect, effect_of
from provisioning.pipeline.ahead.lines import PlannedLine, digest_of, lines_of, text_of

__all__ = [
    "Covered",
    "Effect",
    "InterfaceEffect",
    "Part",
    "PlannedLine",
    "covers_effect",
    "covers_lines",
    "digest_of",
    "effect_of",
    "lines_of",
    "text_of",
]
