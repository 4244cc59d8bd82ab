"""What one platform and release can do and how it spells it, as data (ios-facts section 2)."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Final

from provisioning.pipeline.platforms.findings import Evidence, Tag
from provisioning.pipeline.platforms.kinds import Kind
from provisioning.pipeline.platforms.release import Release

HQF_SHAPES: Final = "ASR 901 command reference, page 1-141: bursts of 4 to 200 ms, default 4 ms"
"""Where the shortest interval of a shaper of HQF is known from."""


def _output_only(_engine: str | None, _interface: str) -> Evidence:
    return Evidence(Tag.LIKELY, "a shaper is for output only (ios-facts 2.3)")


@dataclass(frozen=True, slots=True)
class Profile:
    """One platform with one release; every field says what it holds for, and where that is known from.

    ``hqf``: the queueing engine of 12.4(20)T and later, without the 75 % rule (2.1, 2.3).
    ``police_percent``: ``police cir percent`` is taken (2.1). ``police_submode``: ``police`` leaves one in
    a mode of its own (3.2). ``bare_priority``: ``priority`` without a rate is taken (2.2; refused by the
    7200, 2.3). ``default_queue``: the lines by which class-default gets WRED by DSCP (2.3, 2.6).
    ``fair_queue``: the platform knows the command (never the 12000, 2.2). ``section_filter``: ``show
    running-config | section`` exists. ``archive``, ``configure_replace``, ``revert_timer``: on-box
    configuration archive, replace and confirmed commit (2.1, 3.8). ``named_dscp``: the running-config
    prints names for DSCPs (N3, N3b). ``leading_blank``: class-map and policy-map begin one blank in (N27).
    ``expands_bursts``: default bursts are printed (N15). ``shared_percent``: largest sum of bandwidth and
    priority in percent. ``single_line_police``: shape B (1.2). ``ipv6_sequences``/``ipv4_sequences``:
    access lists print their numbers (N32, N33). ``model`` is the family of the chassis where rules go by it
    (``asr1000``, ``asr920``, ``isr4000``, ``csr1000v``, ``c8000``), empty elsewhere. ``marker_statistics``: what is
    marked is counted without being asked to (2.4). ``refuses_late``: a binding may be refused after the prompt, by whoever
    forwards: a line card (2.2), or the data plane of an IOS-XE. ``shaper_queues_output``: a shaper makes a queue for WRED on
    output (an ISE card wants bandwidth there, 2.2). ``kind`` is the column of the tables of limits and rules that holds here;
    ``why_not_shaped`` says why no shaper is written into an input policy, by engine of the card (None: not known) and interface.
    ``gated``: its releases are those of IOS, so commands have a first one. ``left_out``: commands that are taken and of which
    nothing is made, with what happens instead.
    """

    name: str
    release: Release
    kind: Kind
    hqf: bool
    police_percent: bool
    police_submode: bool
    bare_priority: bool
    default_queue: tuple[str, ...]
    fair_queue: bool
    section_filter: bool
    archive: bool
    configure_replace: bool
    revert_timer: bool
    named_dscp: bool
    leading_blank: bool
    expands_bursts: bool
    shared_percent: int
    single_line_police: bool
    ipv6_sequences: bool
    ipv4_sequences: bool
    model: str = ""
    marker_statistics: bool = True
    class_map_default_mode: str = "match-all"
    refuses_late: bool = True
    shaper_queues_output: bool = True
    why_not_shaped: Callable[[str | None, str], Evidence] = field(default=_output_only, repr=False)
    gated: bool = True
    left_out: Mapping[str, Evidence] = field(default_factory=dict, repr=False, compare=False)

    @property
    def train(self) -> str:
        """The letters of the release's train."""
        return self.release.train

    def __str__(self) -> str:
        return f"{self.model or self.name} with {self.release}"
