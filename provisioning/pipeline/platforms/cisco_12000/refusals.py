"""What a 12000 does not take: how it answers to each rule, and where that is known from."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from provisioning.pipeline.platforms.classic import CLASSIC_VERDICTS
from provisioning.pipeline.platforms.verdicts import Verdict, doubted, refused

ISE: Final = "ISE guide 12.0(27)S (ios-facts 2.2)"

VERDICTS: Final[Mapping[str, Verdict]] = {
    **CLASSIC_VERDICTS,
    "priority-argument": refused(ISE),
    "priority-classes": refused(f"one low latency queue; {ISE}"),
    "wred-without-queue": refused(f"bandwidth, or class-default; {ISE}"),
    "wred-units": doubted("packets in every sample (ios-facts N22)"),
    "queue-limit-alone": doubted(ISE),
    "fair-queue": refused("WFQ does not exist, MDRR replaces it; Cisco document 18841 (ios-facts 2.2)"),
    "input-queueing": doubted(f"priority, bandwidth; WRED and limits with `shape` only: {ISE}"),
    "hierarchy-shape": doubted("two-level policies of the ISE guide shape the parent"),
    "policer-several": doubted("ftpolenh is of 12.2(8)T, 12.0S is not named", "U"),
    "match-not": doubted("open question U3 (ios-facts 2.2)", "U"),
    "engine-queues": refused(f"eight queues, one of low latency; {ISE}"),
    "engine-1-queueing": refused(
        "WRED and MDRR refused; Router Manager 3.1.1 guide p. 11-22 (ios-facts 2.2)"
    ),
    "engine-mqc": doubted("CAR or PIRC and cos-queue-group there; Engine 6 open (ios-facts 2.2)"),
}
