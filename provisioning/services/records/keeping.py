"""Keeping what a decision rested on, in the transaction of the decision."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, Literal

from inventory.models import Domain
from provisioning.errors import InvalidInput
from provisioning.models import DecisionRecord, PremiumRequest, RecordedText, TopologyVersion
from provisioning.pipeline.admission import Basis, Refused, Verdict, basis_to_json, to_json
from provisioning.pipeline.topology import Network, network_to_json
from provisioning.selectors.schemes import scheme_of, scheme_text
from provisioning.selectors.topology import Known, current
from provisioning.services import audit, clock
from provisioning.services.records.packing import digest_of, packed, text_of

FORMAT = "expedite-decision-1"
_AT_ONCE = 200
Deed = Literal["admitted", "held", "refused", "does-not-fit", "modified"]


def keep_network(network: Network) -> str:
    """Keep a network as text, once, and return its digest; in the caller's transaction."""
    return _keep("network", text_of(network_to_json(network)))


@dataclass(frozen=True)
class Texts:
    """The digests of the network and the scheme that a decision is made by, as they are kept."""

    network: str
    scheme: str


def keep_texts(known: Known) -> Texts:
    """See that network and scheme of a version are kept, in the caller's transaction.

    Best before anything is locked: where two keep the same text for the first time, one waits for the other.
    """
    versions = TopologyVersion.objects.filter(domain=known.domain, number=known.number)
    network = versions.exclude(text__content=b"").values_list("text", flat=True).first()
    said = scheme_text(known.domain.scheme)
    scheme = _digest_of(said)
    if not RecordedText.objects.filter(pk=scheme).exclude(content=b"").exists():
        _keep("scheme", said)
    # A version from before networks were kept has none.
    return Texts(network or keep_network(known.network), scheme)


def keep_current(domain: Domain) -> None:
    """See that network and scheme of a domain as they are now are kept, where they can be read; before a request is locked.

    Who keeps them for the first time has others wait until it is decided, and may come to wait for the request itself.
    """
    try:
        scheme_of(domain)
    except InvalidInput:
        return
    keep_texts(current(domain))


def keep_record(
    deed: Deed,
    rows: Sequence[PremiumRequest],
    verdict: Verdict,
    *,
    known: Known | None = None,
    basis: Basis | None = None,
    texts: Texts | None = None,
) -> DecisionRecord:
    """Keep what was decided about these requests (one, or both ways of one wish) and what it rested on, signed where
    AUDIT_SIGNING_KEY is set; in the caller's transaction. Without `known` no scheme could be read, and nothing was derived.
    """
    (kept,) = keep_records([record_of(deed, rows, verdict, known=known, basis=basis, texts=texts)])
    return kept


def keep_records(records: Sequence[DecisionRecord]) -> Sequence[DecisionRecord]:
    """Keep these, made by `record_of`, in few statements; in the caller's transaction."""
    return DecisionRecord.objects.bulk_create(records, batch_size=_AT_ONCE)


def record_of(
    deed: Deed,
    rows: Sequence[PremiumRequest],
    verdict: Verdict,
    *,
    known: Known | None = None,
    basis: Basis | None = None,
    texts: Texts | None = None,
) -> DecisionRecord:
    """What `keep_record` keeps, not stored yet."""
    if known is not None and texts is None:
        texts = keep_texts(known)
    each = (verdict,) if isinstance(verdict, Refused) else verdict
    said: dict[str, Any] = {
        "format": FORMAT,
        "deed": deed,
        "requests": [row.reference for row in rows],
        "verdict": [to_json(one) for one in each],
        "topology": None,
        "scheme": None,
        "basis": None if basis is None else basis_to_json(basis),
    }
    if known is not None and texts is not None:
        domain = known.domain
        said["topology"] = {
            "domain": domain.name,
            "version": known.number,
            "digest": known.digest,
            "network": texts.network,
        }
        said["scheme"] = {
            "name": domain.scheme,
            "text": texts.scheme,
            "policer": domain.policer,
            "options": dict(domain.options),
            "digest": scheme_of(domain).digest(),
        }
    text = text_of(said)
    signature = audit.signed(text.encode())
    return DecisionRecord(
        request=rows[0],
        twin=rows[1] if len(rows) > 1 else None,
        deed=deed,
        at=clock.now() if basis is None else basis.now,
        version=0 if known is None else known.number,
        network_id=None if texts is None else texts.network,
        scheme_id=None if texts is None else texts.scheme,
        content=packed(text),
        digest=digest_of(text),
        signature="" if signature is None else signature.signature,
        public_key="" if signature is None else signature.public_key,
    )


def _keep(kind: str, text: str) -> str:
    digest = digest_of(text)
    kept = RecordedText(digest=digest, kind=kind, content=packed(text))
    RecordedText.objects.bulk_create(
        [kept], update_conflicts=True, unique_fields=["digest"], update_fields=["content"]
    )
    return digest


_digest_of = lru_cache(maxsize=16)(digest_of)
