"""A percentage and a rate that come to the same today: said, and never taken for one another (ios-facts 1.4)."""

from __future__ import annotations

from collections.abc import Iterator

from provisioning.pipeline.intent import interface_key
from provisioning.pipeline.mqc import Percent, RunningConfig, in_bps


def equal_today(running: RunningConfig, intended: RunningConfig) -> Iterator[str]:
    """Yield a sentence for each interface and class where only one side polices in per cent and both rates are equal.

    The BW is what the running-config's `bandwidth` line says; where there is none nothing is claimed.
    """
    for bound in sorted(running.bindings, key=lambda each: (each.interface, each.pvc or "", each.direction)):
        held, wanted = running.policy_maps.get(bound.policy), intended.policy_maps.get(bound.policy)
        state = running.interfaces.get(bound.interface)
        if held is None or wanted is None or state is None or state.bandwidth_kbit is None:
            continue
        bw_bps = state.bandwidth_kbit * 1000
        for entry in held.classes:
            other = wanted.find(entry.name)
            if entry.police is None or other is None or other.police is None:
                continue
            rates = (entry.police.rate, other.police.rate)
            if isinstance(rates[0], Percent) != isinstance(rates[1], Percent):
                now = {in_bps(rate, bw_bps) for rate in rates}
                if len(now) == 1:
                    yield (
                        f"{interface_key(bound.interface, bound.pvc)}: class {entry.name} of {bound.policy} is policed at "
                        f"{now.pop()} bit/s either way while its BW is {bw_bps} bit/s; a percentage follows the BW, so "
                        "it is a difference all the same"
                    )
