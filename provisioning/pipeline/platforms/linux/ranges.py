"""The ranges of a Linux router: of what tc and nftables are given, and of policies as they are judged before a plan."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from provisioning.pipeline.platforms.limits import LARGEST_BURST, Limit, within

_TBF: Final = "tc-tbf(8): below 2^32 bytes a second in 32 bits"

RANGES: Final[Mapping[str, Limit]] = {
    "police-rate": within(8_000, 32_000_000_000, "bit/s of a policer", "C", _TBF),
    "police-burst": within(1_522, LARGEST_BURST, "bytes of a policer's burst", "C",
                           "sch_tbf drops what is larger than its bucket; an Ethernet frame with a VLAN tag"),
    "link-rate": within(64_000, 32_000_000_000, "bit/s of a link", "C", "tc-htb(8): below 2^32 bytes a second in 32 bits"),
    "queue-limit": within(1, 100_000, "packets of a queue", "L", "tc-pfifo(8)"),
}  # fmt: skip

LIMITS: Final[Mapping[str, Limit]] = {
    "police-rate": RANGES["police-rate"],
    "police-burst": within(1, LARGEST_BURST, "bytes of a policer's burst", "C", "a smaller bucket is made a frame large"),
    "queue-limit": RANGES["queue-limit"],
    "name-length": within(1, 61, "characters of a name", "C", "counters are named after classes (nft(8), 128 characters)"),
    "classes": within(1, 239, "classes in a policy-map", "C", "numbers of classes of an HTB, 0x10 to 0xfe"),
}  # fmt: skip
