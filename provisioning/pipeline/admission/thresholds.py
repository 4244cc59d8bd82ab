"""What speaks against a request and refuses nothing: sums and platforms that a document measured losses on."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from provisioning.pipeline.admission.values import LinkEvidence
from provisioning.pipeline.scheme import Pool, Scheme
from provisioning.pipeline.sls import Sls
from provisioning.pipeline.topology import Network, Path
from provisioning.pipeline.units import rate_text


def threshold_warnings(pool: Pool, evidence: Iterable[LinkEvidence]) -> Iterator[str]:
    """One sentence per link on which the sum with this request reaches the pool's threshold (CTI: table IV and figure 8 have
    losses "equal or larger than 1 Mbps").
    """
    limit = pool.warn_above
    for seen in evidence if limit is not None else ():
        total = seen.committed_peak_bps + seen.asked_bps
        if limit is not None and total >= limit.rate_bps:
            yield (
                f"{seen.link} {seen.direction}: {rate_text(total)} in all, from {rate_text(limit.rate_bps)} on: "
                f"{limit.text} ({limit.provenance})"
            )


def platform_doubts(network: Network, scheme: Scheme, sls: Sls, path: Path) -> Iterator[str]:
    """One sentence per router on the way of a platform that the scheme warns of (GRNET: table 2)."""
    for name in path.routers:
        router = network.router(name)
        for warning in scheme.platform_warnings if router is not None else ():
            concerned = sls.is_ipv6 or not warning.ipv6_only
            if router is not None and concerned and router.platform.startswith(warning.platform):
                yield f"{name} is a {router.platform}: {warning.text} ({warning.provenance})"
