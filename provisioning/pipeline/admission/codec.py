"""The verdict as JSON and back: instants in ISO 8601, percentages as text, rates as integers of bit/s."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime
from decimal import Decimal
from typing import Any

from provisioning.errors import InvalidInput
from provisioning.pipeline.admission.values import (
    Admitted,
    Charge,
    CounterOffer,
    FailureEvidence,
    LinkEvidence,
    Reason,
    Refused,
    SeenLink,
)
from provisioning.pipeline.failures import Exposure
from provisioning.pipeline.topology import Direction, Failure, LinkDirection, Path


def to_json(verdict: Admitted | Refused) -> dict[str, Any]:
    """A dictionary of plain values with ``verdict`` "admitted" or "refused"; ``from_json`` gives the same
    back.
    """
    evidence = [link_row(found) for found in verdict.evidence]
    if isinstance(verdict, Admitted):
        return {
            "verdict": "admitted",
            "path": {
                "hops": [_load_out(load) for load in verdict.path.hops],
                "routers": list(verdict.path.routers),
                "alternates": [_load_out(load) for load in verdict.path.alternates],
            },
            "charges": [
                {**_load_out(charge.link_direction), "pool": charge.pool, "rate_bps": charge.rate_bps}
                for charge in verdict.charges
            ],
            "evidence": evidence,
            "warnings": list(verdict.warnings),
            **_failures_out(verdict.failures),
        }
    return {
        "verdict": "refused",
        "reasons": [reason_row(reason) for reason in verdict.reasons],
        "evidence": evidence,
        "warnings": list(verdict.warnings),
        "counter_offers": [offer_row(offer) for offer in verdict.counter_offers],
        **_failures_out(verdict.failures),
    }


def from_json(data: Mapping[str, Any]) -> Admitted | Refused:
    """The verdict that ``to_json`` wrote; raises InvalidInput for anything else."""
    try:
        evidence = tuple(_evidence_in(found) for found in data["evidence"])
        # What was stored before warnings were kept has none.
        warnings = tuple(data.get("warnings", ()))
        failures = _failures_in(data.get("failures"))
        if data["verdict"] == "admitted":
            path = Path(
                hops=tuple(_load_in(load) for load in data["path"]["hops"]),
                routers=tuple(data["path"]["routers"]),
                alternates=tuple(_load_in(load) for load in data["path"]["alternates"]),
            )
            charges = tuple(
                Charge(_load_in(found), found["pool"], found["rate_bps"]) for found in data["charges"]
            )
            return Admitted(path, charges, evidence, warnings, failures)
        if data["verdict"] != "refused":
            raise InvalidInput(f"neither admitted nor refused: {data['verdict']!r:.40}", field="verdict")
        return Refused(
            reasons=tuple(_reason_in(found) for found in data["reasons"]),
            evidence=evidence,
            counter_offers=tuple(
                CounterOffer(
                    found["rate_bps"],
                    _at(found["start"]),
                    _in(found["end"]),
                    found["text"],
                    found.get("kind", ""),
                )
                for found in data["counter_offers"]
            ),
            warnings=warnings,
            failures=failures,
        )
    except (KeyError, TypeError, ValueError, AttributeError, ArithmeticError) as error:
        raise InvalidInput(f"not a stored verdict: {error!r:.120}", field="evidence") from error


def _failures_out(seen: FailureEvidence | None) -> dict[str, Any]:
    """Nothing where failures do not decide."""
    if seen is None:
        return {}
    exposures = [
        {
            "kind": each.failure.kind,
            "name": each.failure.name,
            "start": _out(each.start),
            "end": _out(each.end),
            "link": None if each.load is None else each.load.link,
            "direction": None if each.load is None else each.load.direction.value,
            "share_bps": each.share_bps,
            "load_bps": each.load_bps,
        }
        for each in seen.exposures
    ]
    return {"failures": {"count": seen.count, "judged": seen.judged, "exposures": exposures}}


def _failures_in(data: Mapping[str, Any] | None) -> FailureEvidence | None:
    if data is None:
        return None
    exposures = tuple(
        Exposure(
            Failure(found["kind"], found["name"]),
            _at(found["start"]),
            _in(found["end"]),
            None if found["link"] is None else _load_in(found),
            found["share_bps"],
            found["load_bps"],
        )
        for found in data["exposures"]
    )
    return FailureEvidence(data["count"], data["judged"], exposures)


def _out(instant: datetime | None) -> str | None:
    return None if instant is None else instant.isoformat()


def _at(text: str) -> datetime:
    return datetime.fromisoformat(text)


def _in(text: str | None) -> datetime | None:
    return None if text is None else _at(text)


def _load_out(load: LinkDirection) -> dict[str, str]:
    return {"link": load.link, "direction": load.direction.value}


def _load_in(data: Mapping[str, Any]) -> LinkDirection:
    return LinkDirection(data["link"], Direction(data["direction"]))


def offer_row(offer: CounterOffer) -> dict[str, Any]:
    """An offer as plain values."""
    return {
        "rate_bps": offer.rate_bps,
        "start": _out(offer.start),
        "end": _out(offer.end),
        "text": offer.text,
        "kind": offer.kind,
    }


def link_row(found: LinkEvidence | SeenLink) -> dict[str, Any]:
    """A link direction as plain values."""
    return {
        "link": found.link,
        "direction": found.direction.value,
        "pool": found.pool,
        "base_bps": found.base_bps,
        "share_percent": None if found.share_percent is None else str(found.share_percent),
        "share_bps": found.share_bps,
        "committed_peak_bps": found.committed_peak_bps,
        "peak_at": _out(found.peak_at),
        "asked_bps": found.asked_bps,
        "headroom_bps": found.headroom_bps,
        "share_provenance": found.share_provenance,
        "share_is_choice": found.share_is_choice,
        "served": found.served,
    }


def _evidence_in(data: Mapping[str, Any]) -> LinkEvidence:
    percent = data["share_percent"]
    known = {
        "direction": Direction(data["direction"]),
        "share_percent": None if percent is None else Decimal(percent),
    }
    return LinkEvidence(**{**data, **known, "peak_at": _at(data["peak_at"])})


def reason_row(reason: Reason) -> dict[str, Any]:
    """A reason as plain values."""
    return {
        "code": reason.code,
        "text": reason.text,
        "link": reason.link,
        "direction": None if reason.direction is None else reason.direction.value,
        "interval_start": _out(reason.interval_start),
        "interval_end": _out(reason.interval_end),
        "asked_bps": reason.asked_bps,
        "share_bps": reason.share_bps,
        "committed_bps": reason.committed_bps,
        "shortfall_bps": reason.shortfall_bps,
    }


def _reason_in(data: Mapping[str, Any]) -> Reason:
    direction = None if data["direction"] is None else Direction(data["direction"])
    interval = {"interval_start": _in(data["interval_start"]), "interval_end": _in(data["interval_end"])}
    return Reason(**{**data, **interval, "direction": direction})
