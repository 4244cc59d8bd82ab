"""The policer lines of ``show policy-map interface``, of every era (ios-facts 4.1)."""

from __future__ import annotations

import re
from decimal import Decimal
from typing import Any, Final

from provisioning.pipeline.counters.values import Colour, PoliceCounters

_RATE: Final = re.compile(r"\b(cir|pir|rate|peak-rate) (\d+(?:\.\d+)?)(?: (%|bps|pps))?(?![\d.])")
_BUCKET: Final = re.compile(r"\b(bc|be|conform-burst|burst|peak-burst) (\d+)(?: (bytes|ms|packets))?(?!\d)")
_LIMITS: Final = re.compile(r"(?<!\S)(\d+) bps,? (\d+) limit(?:,? (\d+) extended limit)?")
_SLOT: Final = re.compile(r"(aggregate-forwarded|exceeded) (\d+) bytes action: ?(\S.*)")
_SLOT_RATES: Final = re.compile(r"aggregate-forward (\d+) bps exceed (\d+) bps")
_COLOUR: Final = re.compile(
    r"(conformed|exceeded|violated) (?:(\d+) packets?)?(?:,? )?(?:(\d+) bytes)?; ?actions?: ?(.*)\Z"
)
_RATES: Final = re.compile(r"(conform|exceed|violate)(?:ed|d)? (\d+) (bps|pps)")
_CAT4500: Final = re.compile(r"Conform: (\d+) bytes,? Exceed: (\d+) bytes")
_ACTION: Final = re.compile(r"(?:transmit|drop|set-\S+|policed-\S+)(?: .*)?\Z")
_COLOURS: Final = {"conform": "conformed", "exceed": "exceeded", "violate": "violated"}


class PolicerLines:
    """Collects the lines after ``police:``; ``counters`` is the finished policer."""

    def __init__(self) -> None:
        self._values: dict[str, Any] = {}
        self._colours: dict[str, dict[str, Any]] = {}
        self._current: dict[str, Any] | None = None

    def take(self, text: str) -> bool:
        """Reads a line if it is one of the policer's; False when it is not."""
        colour = _COLOUR.match(text)
        if colour is not None:
            self._open(colour)
            return True
        if text.startswith(("conform", "exceed", "violate")) and _RATES.match(text):
            for name, rate, unit in _RATES.findall(text):
                seen = self._colours.setdefault(_COLOURS[name], {})
                if unit == "pps":
                    self._values[f"{_COLOURS[name]}_pps"] = int(rate)
                else:
                    seen["rate_bps"] = int(rate)
            self._current = None
            return True
        catalyst = _CAT4500.match(text)
        if catalyst is not None:
            self._colours["conformed"] = {"bytes": int(catalyst[1])}
            self._colours["exceeded"] = {"bytes": int(catalyst[2])}
            return True
        if self._slot(text):
            return True
        if self._current is not None and _ACTION.match(text):
            self._current.setdefault("actions", []).append(" ".join(text.split()))
            return True
        return self._configured(text)

    def _open(self, found: re.Match[str]) -> None:
        self._current = self._colours.setdefault(found[1], {})
        self._current["packets"] = int(found[2]) if found[2] else None
        self._current["bytes"] = int(found[3]) if found[3] else None
        if found[4].strip():
            self._current.setdefault("actions", []).append(" ".join(found[4].split()))

    def _slot(self, text: str) -> bool:
        """What one slot counted in hardware is added to what the others did."""
        if found := _SLOT.match(text):
            name = "exceeded" if found[1] == "exceeded" else "conformed"
            colour = self._colours.setdefault(name, {})
            colour["bytes"] = colour.get("bytes", 0) + int(found[2])
            colour["actions"] = [" ".join(found[3].split())]
        elif found := _SLOT_RATES.match(text):
            for name, rate in (("conformed", found[1]), ("exceeded", found[2])):
                colour = self._colours.setdefault(name, {})
                colour["rate_bps"] = colour.get("rate_bps", 0) + int(rate)
        else:
            return False
        return True

    def _configured(self, text: str) -> bool:
        limits = _LIMITS.search(text)
        if limits is not None:
            self._values["cir_bps"] = int(limits[1])
            self._values["bc_bytes"] = int(limits[2])
            if limits[3]:
                self._values["be_bytes"] = int(limits[3])
            return True
        rates, buckets = _RATE.findall(text), _BUCKET.findall(text)
        for name, value, unit in rates:
            which = "cir" if name in ("cir", "rate") else "pir"
            if unit == "%":
                self._values[f"{which}_percent"] = Decimal(value)
            else:
                self._values[f"{which}_{unit or 'bps'}"] = int(Decimal(value))
        for name, value, unit in buckets:
            which = "be" if name in ("be", "peak-burst") else "bc"
            self._values[f"{which}_{unit or 'bytes'}"] = int(value)
        return bool(rates or buckets)

    @property
    def is_whole(self) -> bool:
        """Whether both colours that every policer has were counted, and the last of them says what is done with it."""
        counted = all(
            colour is not None and (colour.get("packets") is not None or colour.get("bytes") is not None)
            for colour in map(self._colours.get, ("conformed", "exceeded"))
        )
        return counted and (self._current is None or bool(self._current.get("actions")))

    @property
    def counters(self) -> PoliceCounters:
        """The policer."""
        colours = {
            name: Colour(**{**values, "actions": tuple(values.get("actions", ()))})
            for name, values in self._colours.items()
        }
        return PoliceCounters(**{**self._values, **colours})
