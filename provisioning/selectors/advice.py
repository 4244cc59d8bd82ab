"""Burst advice as interfaces ask for it: by numbers, or for a request that exists; with the lines to type."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, TypeVar

from provisioning.errors import InvalidFields, InvalidInput
from provisioning.models import PremiumRequest
from provisioning.pipeline.advice import Advice, PlatformBursts, Traffic, advise
from provisioning.pipeline.mqc import Bps, BurstBits, BurstBytes, Police, Shape
from provisioning.pipeline.platforms import Profile, profile
from provisioning.pipeline.rendering import Renderer
from provisioning.pipeline.units import BitRate
from provisioning.selectors.templates import shared_ios_environment

DEFAULT_PACKET_BYTES = 1500

Value = TypeVar("Value")


@dataclass(frozen=True)
class Advised:
    """The advice and the lines of IOS that say it: `police` inside a class at the edge, `shape` at the NREN."""

    advice: Advice
    police_line: str
    shape_line: str


def burst_advice(
    *,
    rate: int | str,
    traffic: str = Traffic.REAL_TIME,
    max_packet_bytes: int = DEFAULT_PACKET_BYTES,
    platform: str = "",
    ios: str = "",
) -> Advised:
    """The advice for numbers as people write them.

    Raises InvalidFields naming ``rate``, ``traffic``, ``max_packet_bytes``, ``platform`` and ``ios``, each that is
    wrong.
    """
    errors: list[InvalidInput] = []

    def attempt(step: Callable[[], Value]) -> Value | None:
        try:
            return step()
        except InvalidInput as error:
            errors.append(error)
            return None

    asked = attempt(lambda: BitRate.parse(rate))
    kind = attempt(lambda: Traffic.parse(traffic))
    spelled = attempt(lambda: _profile(platform, ios))
    # What failed stands in as something valid, so that one answer names every field that is wrong.
    found = attempt(
        lambda: advise(asked or BitRate(1), kind or Traffic.REAL_TIME, max_packet_bytes, profile=spelled)
    )
    if errors or found is None:
        raise InvalidFields(errors)
    return _with_lines(found, spelled)


def advice_for(request: PremiumRequest, traffic: str = Traffic.REAL_TIME) -> Advised:
    """The advice for a request, on the router where it enters. Raises InvalidInput naming ``traffic``."""
    router = request.source_link.interface.router
    spelled = profile(router.platform, router.ios)
    found = advise(
        BitRate(request.rate_bps), Traffic.parse(traffic), request.max_packet_bytes, profile=spelled
    )
    return _with_lines(found, spelled)


def to_json(advised: Advised) -> dict[str, Any]:
    """The advice for programs: every number with its unit in its name."""
    advice = advised.advice
    policer, shaper = advice.policer, advice.shaper
    return {
        "traffic": advice.traffic.value,
        "rate_bps": advice.rate.bps,
        "max_packet_bytes": advice.max_packet_bytes,
        "policer": {
            "rate_bps": policer.rate.bps,
            "bucket_bytes": policer.bucket.size_bytes,
            "bucket_ms": policer.bucket_ms,
            "line": advised.police_line,
        },
        "shaper": {
            "rate_bps": shaper.rate.bps,
            "burst_bits": shaper.burst_bits,
            "burst_bytes": shaper.burst_bytes,
            "least_bits": shaper.least_bits,
            "most_bits": shaper.most_bits,
            "queue_packets": shaper.queue_packets,
            "line": advised.shape_line,
        },
        "findings": [
            {
                "about": one.about,
                "formula": one.formula,
                "worked": one.worked,
                "source": one.source,
                "provenance": one.provenance.value,
                "reason": one.reason,
            }
            for one in advice.findings
        ],
        "warnings": list(advice.warnings),
        "platform": None if advice.platform is None else _platform(advice.platform),
    }


def _platform(found: PlatformBursts) -> dict[str, Any]:
    return {
        "platform": found.platform,
        "ios": found.release,
        "default_documented_bytes": found.documented_bytes,
        "default_observed_bytes": found.observed_bytes,
        "default_is_certain": found.certain,
        "default_evidence": found.evidence,
        "least_police_bytes": found.least_police_bytes,
        "most_police_bytes": found.most_police_bytes,
        "least_shape_ms": found.least_shape_ms,
    }


def _profile(platform: str, ios: str) -> Profile | None:
    if not platform:
        if ios:
            raise InvalidInput("a release belongs to a platform", field="ios")
        return None
    return profile(platform, ios)


def _with_lines(advice: Advice, spelled: Profile | None) -> Advised:
    printer = Renderer(shared_ios_environment(), spelled)
    police = Police(Bps(advice.policer.rate.bps), BurstBytes(advice.policer.bucket.size_bytes))
    # No excess burst: with the default one a shaper sends up to twice its burst after a pause.
    shape = Shape("average", Bps(advice.shaper.rate.bps), BurstBits(advice.shaper.burst_bits), BurstBits(0))
    return Advised(advice, " ".join(printer.action_lines(police)), " ".join(printer.action_lines(shape)))
