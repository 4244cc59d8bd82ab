"""The policer of a class (D4.4.2v2 section 2.4.1 and Appendix A; ios-facts N14-N19, 1.2, 1.3)."""

from __future__ import annotations

from dataclasses import dataclass

from provisioning.errors import InvalidInput
from provisioning.pipeline.mqc import codepoints
from provisioning.pipeline.mqc.names import one_line
from provisioning.pipeline.mqc.rates import Bps, BurstBytes, BurstMs, Percent, Rate, default_burst_bytes


def _canonical_action(text: str) -> str:
    words = one_line(text, "police").split(" ")
    words[0] = words[0].replace("set-mpls-experimental-", "set-mpls-exp-")
    if len(words) == 2 and words[0] in ("set-dscp-transmit", "set-dscp-tunnel-transmit"):
        return f"{words[0]} {codepoints.dscp(words[1])}"
    if len(words) == 2 and words[0] in ("set-prec-transmit", "set-prec-tunnel-transmit"):
        return f"{words[0]} {codepoints.precedence(words[1])}"
    return " ".join(words)


def _actions(values: tuple[str, ...] | str, field: str) -> tuple[str, ...]:
    if isinstance(values, str):
        raise InvalidInput("actions are a tuple of texts", field=field)
    actions = tuple(sorted({_canonical_action(value) for value in values}))
    if not actions or "" in actions:
        raise InvalidInput("an action is missing", field=field)
    return actions


@dataclass(frozen=True, slots=True)
class Police:
    """One policer, with IOS's defaults filled in (ios-facts N16): conform transmit, exceed drop.

    ``rate`` and ``peak_rate`` are the CIR and the PIR; ``burst`` and ``excess_burst`` the buckets (bc; be,
    which is the peak's bucket where there is a PIR), None when they are the default or not written. A bc in
    bytes equal to rate/32 (at least 1500) is the default that some trains print (N15), and a be equal to it
    likewise. ``violate`` is None where there is no third colour: also when it is written but does what
    ``exceed`` does and no second bucket is; and where the buckets are numbers by their place (``police 8000
    1500 3000``), of which the second counts only with a violate-action (12.4 prints both lines). ``keyword``
    is ``cir`` (also ``police 8000``, ``police percent 5``) or ``rate``, which routers keep apart (N19). The
    several actions of one colour are a sorted tuple.
    Raises InvalidInput.
    """

    rate: Rate
    burst: BurstBytes | BurstMs | None = None
    excess_burst: BurstBytes | BurstMs | None = None
    peak_rate: Rate | None = None
    conform: tuple[str, ...] = ("transmit",)
    exceed: tuple[str, ...] = ("drop",)
    violate: tuple[str, ...] | None = None
    keyword: str = "cir"

    def __post_init__(self) -> None:
        if not isinstance(self.rate, (Bps, Percent)):
            raise InvalidInput(f"{self.rate!r} is neither Bps nor Percent", field="police")
        if self.keyword not in ("cir", "rate"):
            raise InvalidInput(f"{self.keyword!r} is neither cir nor rate", field="police")
        object.__setattr__(self, "conform", _actions(self.conform, "conform-action"))
        object.__setattr__(self, "exceed", _actions(self.exceed, "exceed-action"))
        self._drop_default_bursts()
        violate = self.violate if self.violate is None else _actions(self.violate, "violate-action")
        if violate is None and self._one_bucket:
            if self.excess_burst == self.burst:
                object.__setattr__(self, "excess_burst", None)
        elif self.excess_burst is not None or self.peak_rate is not None:
            violate = violate or ("drop",)
        elif violate == self.exceed:
            violate = None
        object.__setattr__(self, "violate", violate)

    @property
    def _one_bucket(self) -> bool:
        """Whether the buckets can be numbers by their place, where only a violate-action makes the second one count."""
        return (
            self.keyword == "cir"
            and isinstance(self.rate, Bps)
            and self.peak_rate is None
            and not isinstance(self.burst, BurstMs)
            and isinstance(self.excess_burst, BurstBytes)
            and self.exceed != ("drop",)
        )

    def _drop_default_bursts(self) -> None:
        default = _default(self.rate)
        excess_default = default if self.peak_rate is None else _default(self.peak_rate)
        if self.burst is not None and self.burst == default:
            object.__setattr__(self, "burst", None)
        no_second_bucket = (
            isinstance(self.excess_burst, (BurstBytes, BurstMs)) and self.excess_burst.value == 0
        )
        if no_second_bucket or (
            self.burst is None and self.excess_burst is not None and self.excess_burst == excess_default
        ):
            object.__setattr__(self, "excess_burst", None)


def _default(rate: Rate) -> BurstBytes | None:
    return BurstBytes(default_burst_bytes(rate.value)) if isinstance(rate, Bps) else None
