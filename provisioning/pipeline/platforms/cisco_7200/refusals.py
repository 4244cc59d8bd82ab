"""What a 7200 does not take, before and with HQF, and where that is known from."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from provisioning.pipeline.platforms.classic import CLASSIC_VERDICTS
from provisioning.pipeline.platforms.verdicts import Verdict, doubted, refused

_BOTH: Final[Mapping[str, Verdict]] = {
    **CLASSIC_VERDICTS,
    "fair-queue-queues": doubted("as IOS-XE (K)"),
    "input-queueing": doubted("output only (ios-facts 2.3)"),
    "hierarchy-shape": refused("message `Hierarchy supported only if shaping is configured` (ios-facts 2.3)"),
}

BEFORE_HQF: Final[Mapping[str, Verdict]] = {
    **_BOTH,
    "bare-priority": refused("cisco-nsp, 21 August 2007 (ios-facts 2.3)"),
    "wred-without-queue": doubted("consistent with every sample (ios-facts 2.3)"),
    "wred-units": doubted("packets in every sample (ios-facts N22); units came with HQF (K)"),
    "queue-limit-wred": doubted("12.3 command reference, queue-limit: WRED or tail drop; both with HQF (K)"),
    "queue-limit-alone": doubted("12.3 command reference, queue-limit"),
    "fair-queue-class": doubted("per class with HQF only (K)"),
    "fair-queue-default": doubted("class-default is either fair or guaranteed before HQF (K)"),
    "shared-percent": doubted(
        "Cisco document 10466: 75 % unless max-reserved-bandwidth says otherwise (ios-facts 2.3)", "C"
    ),
    "subinterface-queueing": refused("message `CBWFQ : Not supported on subinterfaces` (ios-facts 2.3)"),
}

WITH_HQF: Final[Mapping[str, Verdict]] = {
    **_BOTH,
    "bare-priority": doubted(
        "the same report is of 12.4T; HQF takes `priority` with `police` (ios-facts 2.3, 2.6)"
    ),
    "priority-mixed": doubted("c10k QoS guide OL-7433 p. 8-5"),
    "priority-unlimited": doubted(
        "message `bandwidth kbps/percent command cannot co-exist with strict priority in the same policy-map` (K)"
    ),
    "wred-without-queue": doubted("device-derived template S4; message of HQF (K)"),
    "queue-limit-alone": doubted("as IOS-XE (K)"),
    "subinterface-queueing": doubted("the same message, seen before HQF (ios-facts 2.3)"),
}
