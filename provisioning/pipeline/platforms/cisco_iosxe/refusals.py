"""What IOS-XE does not take: how it answers to each rule, and where that is known from."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from provisioning.pipeline.platforms.limits import YANG
from provisioning.pipeline.platforms.verdicts import Verdict, doubted, refused

VERDICTS: Final[Mapping[str, Verdict]] = {
    "priority-mixed": doubted("c10k QoS guide OL-7433 p. 8-5"),
    "priority-default": doubted("c10k QoS guide OL-7433 p. 8-5, ME 3600X command reference"),
    "priority-bandwidth": refused("c10k QoS guide OL-7433 p. 8-5"),
    "priority-unlimited": doubted(
        "message `bandwidth kbps/percent command cannot co-exist with strict priority in the same policy-map` (K)"
    ),
    "wred-priority": refused("c10k QoS guide OL-7433 p. 8-5"),
    "bandwidth-units": refused(f"Remaining Bandwidth Using Ratio, restrictions; {YANG}, bandwidth"),
    "wred-without-queue": doubted(f"{YANG}, revision 2018-03-05: random-detect goes with shape or bandwidth"),
    "queue-limit-alone": refused(f"{YANG}, queue-limit must"),
    "fair-queue-queues": refused(f"{YANG}, dynamic-queues"),
    "whole-percent": refused(
        "message `I/f ... requested bandwidth ..., available only ...`; Cisco document 10466 (ios-facts 2.3)"
    ),
    "percent-fraction": refused(f"{YANG}, policy-percent-type"),
    "input-queueing": doubted("output only (ios-facts 2.3)"),
    "subinterface-queueing": doubted("hierarchy guides shape the parent (K)"),
    "hierarchy-shape": doubted(
        "the same message, seen before IOS-XE, whose parents may have a bandwidth instead (K)"
    ),
    "ubr-queueing": refused("Cisco document 10466; no base for a percentage (ios-facts 1.4, 2.3)"),
    "police-percent-asr920": refused("ASR 920 guide: cir percent is not supported (ios-facts 2.4)"),
    "burst-unit": refused(f"{YANG}, bc-ms"),
    "burst-ms": refused(f"{YANG}, police-policy-map: bytes"),
    "second-bucket": refused(f"{YANG}, be when bc-ms"),
    "rates-mixed": refused(f"{YANG}, police-cir-percent, police-policy-map"),
    "peak-below": doubted("RFC 2698: the peak is at least the committed rate"),
    "threshold-order": doubted("drops begin at the one and are all at the other (K)"),
    "policer-conflict": refused(f"{YANG}, must of conform-drop, exceed-drop and the set actions"),
    "log-access-list": refused("message `access-lists with 'log' keyword are not supported` (ios-facts 2.4)"),
    "shape-peak": doubted(f"{YANG} has shape average only"),
    "set-precedence": doubted(f"{YANG} has set ip precedence only"),
}
