"""The state of an interface in few words, for whoever reads a plan at night: who marks, who polices, at what rate."""

from __future__ import annotations

from decimal import Decimal

from provisioning.pipeline.intent import Role
from provisioning.pipeline.safety.entering import NO_EF, UNLIMITED
from provisioning.pipeline.safety.states import REST, InterfaceQos, Marker
from provisioning.pipeline.units import rate_text, share_of


def dangerous(state: InterfaceQos) -> bool:
    """Whether EF can enter here that nobody authorised, or that nothing polices."""
    if state.role is Role.CORE:
        return False
    return state.marker is Marker.NOBODY or state.ef_rate == UNLIMITED


def in_full(state: InterfaceQos, bandwidth_bps: int | None = None) -> str:
    """Who marks, who polices EF at what rate, what becomes of the rest; `bandwidth_bps` turns percent into a rate."""
    if state.role is Role.CORE:
        return _queue(state)
    name = "no input policy" if state.policy_in is None else state.policy_in
    parts = [f"{name}: {_marks(state)}"]
    if state.marker not in {Marker.ROUTER, Marker.NOBODY}:
        parts += [_policed(state.ef_rate, bandwidth_bps), *_rest(state, bandwidth_bps)]
    elif state.kept:
        parts += _rest(state, bandwidth_bps)
    if state.ef_queue:
        parts.append(_queue(state))
    return "; ".join(parts)


def what_changed(before: InterfaceQos, now: InterfaceQos, bandwidth_bps: int | None = None) -> str:
    """Only what is new: policies on and off, who marks, the rate and what it was, entries added and taken out."""
    if now.role is Role.CORE:
        return _output(before, now)
    if before.policy_in != now.policy_in:
        moved = _moved(before.policy_in, now.policy_in)
        return f"{moved}: {_without_name(now, bandwidth_bps)}" if now.policy_in else f"{moved}: {_marks(now)}"
    parts = []
    if before.marker != now.marker:
        parts.append(_marks(now))
    if before.ef_rate != now.ef_rate:
        was = "" if before.marker is Marker.NOBODY else f" (was {_rate(before.ef_rate, bandwidth_bps)})"
        parts.append(_policed(now.ef_rate, bandwidth_bps) + was)
    gained = sorted(set(now.authorised) - set(before.authorised))
    lost = sorted(set(before.authorised) - set(now.authorised))
    parts += [f"authorised now: {_who(entry)}" for entry in gained]
    parts += [f"authorised no longer: {_who(entry)}" for entry in lost]
    kept, was_kept = frozenset(now.exempted), frozenset(before.exempted)
    parts += [f"keeps its marking now: {_who(entry)}" for entry in sorted(kept - was_kept)]
    parts += [f"keeps its marking no longer: {_who(entry)}" for entry in sorted(was_kept - kept)]
    if (before.remarks_rest, before.kept) != (now.remarks_rest, now.kept):
        parts += _rest(now, bandwidth_bps)
    if (before.policy_out, before.ef_queue) != (now.policy_out, now.ef_queue):
        parts.append(_output(before, now))
    return "; ".join(parts) or in_full(now, bandwidth_bps)


def _without_name(state: InterfaceQos, bandwidth_bps: int | None) -> str:
    return in_full(state, bandwidth_bps).partition(": ")[2]


def _moved(old: str | None, new: str | None) -> str:
    if new is None:
        return f"{old} off"
    return f"{new} on" if old is None else f"{old} -> {new}"


def _output(before: InterfaceQos, now: InterfaceQos) -> str:
    if before.policy_out != now.policy_out:
        moved = _moved(before.policy_out, now.policy_out)
        return f"{moved} outbound: {'EF is queued first' if now.ef_queue else 'no priority queue'}"
    return _queue(now)


def _queue(state: InterfaceQos) -> str:
    if not state.ef_queue:
        name = "" if state.policy_out is None else f" in {state.policy_out}"
        return f"outbound: no priority queue{name}"
    return f"outbound: EF is queued first ({state.policy_out})"


def _marks(state: InterfaceQos) -> str:
    match state.marker:
        case Marker.ROUTER:
            return "everything becomes DSCP 0"
        case Marker.NREN:
            return "the NREN marks"
        case Marker.ACL:
            count = len(state.authorised)
            if count == 1:
                return f"the access list marks ({_who(state.authorised[0])})"
            return f"the access list marks ({count} entries)"
        case _:
            return "nobody marks, whatever arrives passes as it is"


def _who(entry: str) -> str:
    return entry.removeprefix("permit ")


def _rest(state: InterfaceQos, bandwidth_bps: int | None) -> list[str]:
    """What becomes of packets that are not EF: each mark that is kept and may not be, and all others."""
    if state.remarks_rest:
        return ["the rest becomes DSCP 0"]
    kept = dict(state.kept)
    rest = kept.pop(REST, None)
    said = [f"DSCP {mark} KEEPS ITS MARKING, {_limit(rate, bandwidth_bps)}" for mark, rate in kept.items()]
    if kept and rest is None:
        return [*said, "the rest becomes DSCP 0"]
    if rest in (None, UNLIMITED):
        return [*said, "THE REST KEEPS ITS MARKING"]
    return [*said, f"THE REST KEEPS ITS MARKING, {_limit(rest, bandwidth_bps)}"]


def _limit(rate: str, bandwidth_bps: int | None) -> str:
    return "NOT POLICED" if rate == UNLIMITED else f"policed at {_rate(rate, bandwidth_bps)}"


def _policed(ef_rate: str, bandwidth_bps: int | None) -> str:
    if ef_rate == UNLIMITED:
        return "EF IS NOT POLICED"
    if ef_rate == NO_EF:
        return "no EF enters"
    return f"EF policed at {_rate(ef_rate, bandwidth_bps)}"


def _rate(ef_rate: str, bandwidth_bps: int | None) -> str:
    if ef_rate == UNLIMITED:
        return "not policed"
    if ef_rate == NO_EF:
        return "no EF"
    return " + ".join(_one_rate(part, bandwidth_bps) for part in ef_rate.split(" + "))


def _one_rate(part: str, bandwidth_bps: int | None) -> str:
    if part.startswith("percent "):
        share = part.removeprefix("percent ")
        if bandwidth_bps is None:
            return f"{share} % of BW"
        return f"{share} % of BW = {rate_text(share_of(bandwidth_bps, Decimal(share)))}"
    digits = part.removesuffix(" bps")
    return rate_text(int(digits)) if digits.isdigit() else part
