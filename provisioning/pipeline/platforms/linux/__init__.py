"""Linux with nftables and tc: what a kernel does of MQC and what it lacks, as data with its evidence.

No service drives such a router: it is worked out, read and compared from files (`pipeline.linux`, `manage.py linux`).
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Final

from provisioning.pipeline.platforms.findings import Evidence, Tag
from provisioning.pipeline.platforms.limits import LARGEST_BURST, Limit, within

NAME: Final = "linux"
CALLED: Final = re.compile(r"linux(?:-[a-z0-9.-]+)?|nftables")
NOT_DRIVEN: Final = (
    "is not driven by the service: what a Linux router must hold is worked out, compared and read back from files "
    "(`manage.py linux`)"
)

_MEASURED: Final = "measured: kernel 6.18, iproute2 6.1, nft 1.0.6"
LACKS: Final[Mapping[str, Evidence]] = {
    "random-detect": Evidence(Tag.CERTAIN, f"no RED: the queue drops at its tail (sch_red, {_MEASURED})"),
    "fair-queue": Evidence(Tag.CERTAIN, f"no fair queueing: one queue for all flows (sch_sfq, {_MEASURED})"),
}  # fmt: skip
"""Actions that are left out, each with what happens instead: they decide who waits, not who may enter."""

RANGES: Final[Mapping[str, Limit]] = {
    "police-rate": within(8_000, 32_000_000_000, "bit/s of a policer", "C", "tc-tbf(8): below 2^32 bytes a second in 32 bits"),
    "police-burst": within(1_522, LARGEST_BURST, "bytes of a policer's burst", "C",
                           "sch_tbf drops what is larger than its bucket; an Ethernet frame with a VLAN tag"),
    "link-rate": within(64_000, 32_000_000_000, "bit/s of a link", "C", "tc-htb(8): below 2^32 bytes a second in 32 bits"),
    "queue-limit": within(1, 100_000, "packets of a queue", "L", "tc-pfifo(8)"),
}  # fmt: skip
RATE_STEP_BPS: Final = 8
"""tc keeps rates in bytes a second."""
TICK_NS: Final = 1000
"""tc reckons a bucket as a time in whole microseconds, the kernel in ticks of 64 ns: what is read may be some bytes off."""
