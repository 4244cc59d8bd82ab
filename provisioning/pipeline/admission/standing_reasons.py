"""What speaks against a request whatever is free: its class, its ends, its links' cases, the cards on the way, its bucket."""

from __future__ import annotations

from collections.abc import Iterator

from provisioning.errors import InvalidInput
from provisioning.pipeline.admission.buckets import Judged, judge_bucket
from provisioning.pipeline.admission.line_cards import EngineRule, line_card_reasons
from provisioning.pipeline.admission.reach import case_reasons, reach, unknown_class
from provisioning.pipeline.admission.receiving import receiver_reasons
from provisioning.pipeline.admission.values import Reason
from provisioning.pipeline.scheme import Pool, Scheme
from provisioning.pipeline.sls import Sls
from provisioning.pipeline.topology import Network, Path


def pool_and_path(network: Network, scheme: Scheme, sls: Sls) -> tuple[Pool, Path] | Reason:
    """The pool that a request is charged to and its path, or why it has none."""
    try:
        pool = scheme.pool_of(sls.service_class)
    except InvalidInput as error:
        return unknown_class(error)
    if pool is None:
        text = f"{scheme.service_class(sls.service_class).title} needs no admission and gets no reservation"
        return Reason(code="class-without-admission", text=text)
    found = reach(network, scheme, sls)
    return found if isinstance(found, Reason) else (pool, found)


def reasons_on(
    network: Network, scheme: Scheme, sls: Sls, path: Path, engine_rule: EngineRule, bucket: Judged
) -> Iterator[Reason]:
    """The reasons on its path that no share speaks about."""
    yield from case_reasons(network, scheme, sls)
    yield from receiver_reasons(network, scheme, sls)
    yield from line_card_reasons(network, sls, path, engine_rule)
    yield from bucket.reasons


def standing_reasons(
    network: Network, scheme: Scheme, sls: Sls, engine_rule: EngineRule
) -> tuple[Reason, ...]:
    """All of them, without a look at any share: what `admit` says beside them on an empty book."""
    found = pool_and_path(network, scheme, sls)
    if isinstance(found, Reason):
        return (found,)
    bucket = judge_bucket(network, scheme, sls, found[1], ())
    return tuple(reasons_on(network, scheme, sls, found[1], engine_rule, bucket))
