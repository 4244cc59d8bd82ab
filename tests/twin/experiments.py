"""Experiments 4.1.1 to 4.1.3 of D4.4.2v2 at a tenth of the rates, and what of each is judged (`bounds.yaml`)."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path as File
from typing import Any, Final

import yaml

from provisioning.selectors.packs import pack_for
from tests.twin.path import PORT, Flow, Path, send

BOUNDS: Final[Mapping[str, Mapping[str, Any]]] = yaml.safe_load(
    File(__file__).with_name("bounds.yaml").read_text()
)
FULL_BPS, LINK_BPS = 20_000_000, 15_552_000
A_SECOND = FULL_BPS / 8 / 1400
"""Packets of 1400 bytes that are 20 Mbit/s of payload."""
POLICED_S = 2.0
"""The bound of `policed` is worked out with it."""


@dataclass(frozen=True)
class Measured:
    """One row. ``value`` is None where too little was offered to say anything: that is no failure of a policy."""

    key: str
    value: float | None
    detail: str = ""

    @property
    def judged(self) -> str:
        bound = BOUNDS[self.key]
        if self.value is None:
            return "inconclusive"
        return "ok" if bound["least"] <= self.value <= bound["most"] else "WRONG"

    def __str__(self) -> str:
        bound = BOUNDS[self.key]
        shown = "-" if self.value is None else f"{self.value:.6g}"
        said = f"{bound['of']}: {shown} {bound['unit']} (document: {bound['document']}; {bound['least']} to {bound['most']})"
        return f"{self.judged:12} {said}{': ' + self.detail if self.detail and self.judged != 'ok' else ''}"


def marking(path: Path) -> list[Measured]:
    """Thirteen cases side by side, each to a port of its own: who sends, with which mark, and what mark arrives."""
    far, other = path.athens, max(1, path.athens - 1)
    cases = [
        *((far, 1, dscp, 46) for dscp in (0, 8, 10, 46, 48)),
        *((far, 2, dscp, 8 if dscp == 8 else 0) for dscp in (0, 8, 10, 46, 48)),
        *((other, 3, dscp, 8 if dscp == 8 and other == far else 0) for dscp in (0, 8, 46)),
    ]
    # Small packets: those of all thirteen are less than one bucket, so that none is policed.
    flows = [
        Flow(host, source, dscp, 50, 0.1, payload=100, port=PORT + number)
        for number, (host, source, dscp, _) in enumerate(cases)
    ]
    path.count_at_london(len(flows))
    send(path, *flows)
    wrong = []
    for flow, (host, source, dscp, expected) in zip(flows, cases, strict=True):
        arrived = path.arrived(flow.port)
        if arrived != {expected: flow.sent}:
            wrong.append(
                f"{path.row.nrens[host]} host {source} with {dscp}: {arrived}, not {flow.sent} of {expected}"
            )
    return [Measured("marking", len(cases) - len(wrong), "; ".join(wrong))]


def congestion(path: Path) -> list[Measured]:
    """Table 3: 20 Mbit/s of background over a link of 15.552, and half a Mbit/s of marked packets."""
    path.count_at_london()
    background = Flow(max(1, path.athens - 1), 3, 0, A_SECOND, 2.5)
    foreground = Flow(path.athens, 1, 0, A_SECOND / 40, 2.5)
    send(path, background, foreground)
    arrived = path.arrived()
    marked, rest = arrived.get(46, 0), arrived.get(0, 0)
    if background.sent / background.seconds < 0.97 * A_SECOND or background.seconds > 2.7:
        return [Measured("foreground", None), Measured("background", None)]
    return [
        Measured("foreground", 100 * (1 - marked / foreground.sent), str(arrived)),
        Measured("background", 100 * (1 - rest / background.sent), str(arrived)),
    ]


def policing(path: Path) -> list[Measured]:
    """4.1.2: 1 Mbit/s of payload through a policer of 777.6 kbit/s of frames."""
    before = path.policed()
    flow = Flow(path.athens, 1, 0, 1_000_000 / 8 / 1400, POLICED_S)
    path.count_at_london()
    send(path, flow)
    after = path.policed()
    arrived = path.arrived().get(46, 0)
    if flow.sent < 0.97 * POLICED_S * flow.packets_s:
        return [Measured("policed", None)]
    # What arrived counts, not the policer: it may not be asked.
    detail = f"{arrived} of {flow.sent} arrived, the policer let {after[0] - before[0]} through"
    return [Measured("policed", arrived * 1462 * 8 / flow.seconds / 1000, detail)]


def unshaped(path: Path) -> list[Measured]:
    """4.1.3 without a shaper."""
    return [Measured("unshaped", _bursts(path))]


def shaped(path: Path) -> list[Measured]:
    """4.1.3 with the pack that the service makes for the sender."""
    text = pack_for(path.request, "linux", uplink="up0").text
    path.pack(text, "up")
    try:
        return [Measured("shaped", _bursts(path))]
    finally:
        path.pack(text, "down")


def _bursts(path: Path) -> float | None:
    """Of five seconds on, five off and five on, what the policer dropped, in per cent."""
    before = path.policed()
    sent = 0
    for _ in range(2):
        flow = Flow(path.athens, 1, 0, 100, 5.0, payload=1000)
        send(path, flow)
        sent += flow.sent
        send(path, Flow(path.athens, 2, 0, 1, 4.5))
    after = path.policed()
    return 100 * (after[2] - before[2]) / sent if sent >= 990 else None


QUICK: Final[tuple[Callable[[Path], list[Measured]], ...]] = (marking, congestion, policing)
ALL: Final = (*QUICK, unshaped, shaped)
