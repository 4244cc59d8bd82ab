"""Every prefix of a plan, judged: nothing that was safe before and is safe afterwards may be unsafe in between."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterator, Mapping, Sequence
from fractions import Fraction

from provisioning.pipeline.intent import Role
from provisioning.pipeline.mqc import RunningConfig
from provisioning.pipeline.platforms import Profile
from provisioning.pipeline.safety.coverage import staying, uncovered, without
from provisioning.pipeline.safety.entering import ALLOWED_DSCPS, NO_EF, PREMIUM, UNLIMITED
from provisioning.pipeline.safety.holdings import LineNotAccepted
from provisioning.pipeline.safety.interfaces import InterfaceStates
from provisioning.pipeline.safety.interpreter import ConfigurationLine, Interpreter, line_text
from provisioning.pipeline.safety.states import InterfaceQos, LineState, Marker


def check(
    running: RunningConfig,
    lines: Sequence[ConfigurationLine | str],
    roles: Mapping[str, Role],
    *,
    gap_lines: Collection[int] = (),
    bandwidths: Mapping[str, int] | None = None,
    premium: frozenset[int] = PREMIUM,
    allowed: frozenset[int] = ALLOWED_DSCPS,
    profile: Profile | None = None,
) -> tuple[LineState, ...]:
    """Return the state before the first line and after every line, with what each violates.

    `roles` maps interface keys to roles; `bandwidths` interface names to bit/s, to compare percent with bit/s.
    `gap_lines` are indexes of lines after which a named gap is open: there the swapped interface is excused, and
    only there, and only until the next line. `premium` are the DSCPs that may enter only authorised and policed,
    `allowed` all that may enter (the scheme's; 6NET's unless said). A line that a router would refuse ends the list with
    that violation.
    """
    interpreter = Interpreter(running, profile)
    states = InterfaceStates(interpreter.held, roles, premium, allowed)
    first = dict(states.now)
    changes: list[dict[str, InterfaceQos]] = []
    refused: str | None = None
    for line in lines:
        try:
            interpreter.execute(line_text(line))
        except LineNotAccepted as error:
            refused = error.reason
            break
        changes.append(states.follow())
    result = [LineState(None, tuple(first.values()))]
    result += _judged(lines, changes, first, states.now, gap_lines, bandwidths)
    if refused is not None:
        result.append(
            LineState(line_text(lines[len(changes)]), (), (f"a router would refuse this line: {refused}",))
        )
    return tuple(result)


def _judged(
    lines: Sequence[ConfigurationLine | str],
    changes: Sequence[Mapping[str, InterfaceQos]],
    first: Mapping[str, InterfaceQos],
    last: Mapping[str, InterfaceQos],
    gap_lines: Collection[int],
    bandwidths: Mapping[str, int] | None,
) -> Iterator[LineState]:
    """The state after every line; what is wrong with an interface stays so until a line changes it."""
    now = dict(first)
    place = {key: number for number, key in enumerate(first)}
    wrong: dict[str, list[str]] = {}
    for index, changed in enumerate(changes):
        excused = set()
        for key, state in changed.items():
            found = _violations(first[key], last[key], state, _bandwidth(bandwidths, state))
            wrong.pop(key, None)
            if found:
                wrong[key] = found
            if index in gap_lines and _unbound(now[key], state):
                excused.add(key)
            now[key] = state
        violations = tuple(
            text for key in sorted(wrong.keys() - excused, key=place.__getitem__) for text in wrong[key]
        )
        yield LineState(line_text(lines[index]), tuple(changed.values()), violations, index in gap_lines)


def _unbound(before: InterfaceQos, now: InterfaceQos) -> bool:
    """Whether exactly this line took a policy off this interface."""
    lost_in = before.policy_in is not None and now.policy_in is None
    lost_out = before.policy_out is not None and now.policy_out is None
    return lost_in or lost_out


def _bandwidth(bandwidths: Mapping[str, int] | None, state: InterfaceQos) -> int | None:
    return None if bandwidths is None else bandwidths.get(state.interface)


def _violations(
    first: InterfaceQos, last: InterfaceQos, now: InterfaceQos, bandwidth: int | None
) -> list[str]:
    """What `now` lacks that both ends have, and what it has that neither end has."""
    found: list[str] = []
    if now.role is Role.CORE:
        if first.ef_queue and last.ef_queue and not now.ef_queue:
            found.append(f"{now.key}: EF is not queued first")
        return found
    if first.remarks_rest and last.remarks_rest and not now.remarks_rest:
        found.append(f"{now.key}: what is not authorised keeps its marking")
    if UNLIMITED not in (first.ef_rate, last.ef_rate) and now.ef_rate == UNLIMITED:
        found.append(f"{now.key}: EF enters unpoliced")
    elif now.ef_rate != UNLIMITED:
        found += _rates(first, last, now, bandwidth)
    closed = first.marker is not Marker.NOBODY and Marker.NREN not in (first.marker, last.marker)
    if closed and now.marker is Marker.NREN:
        found.append(f"{now.key}: the neighbour's marking is believed")
    if first.marker is last.marker is Marker.NREN and now.marker is not Marker.NREN:
        found.append(f"{now.key}: the neighbour's EF is cut off")
    lost = uncovered(staying(first, last), (now,), (first, last))
    found += [f"{now.key}: cut off: {entry}" for entry in sorted(lost)]
    if first.marker in (Marker.ACL, Marker.ROUTER) and last.marker in (Marker.ACL, Marker.ROUTER):
        extra = uncovered(now.authorised, (first, last), (now,))
        found += [f"{now.key}: let in although never authorised: {entry}" for entry in sorted(extra)]
    return found + _exemptions(first, last, now)


def _exemptions(first: InterfaceQos, last: InterfaceQos, now: InterfaceQos) -> list[str]:
    """Who keeps a mark that others lose. Who is let in as EF for a while, or was, or shall be, is no stranger either."""
    before, after = (frozenset((*state.exempted, *state.authorised)) for state in (first, last))
    lost = without(frozenset(first.exempted) & frozenset(last.exempted), {*now.exempted, *now.authorised})
    found = [f"{now.key}: loses its marking: {entry}" for entry in sorted(lost)]
    if first.remarks_rest and last.remarks_rest:
        extra = sorted(without(now.exempted, before | after))
        found += [f"{now.key}: keeps its marking although never exempted: {entry}" for entry in extra]
    return found


def _rates(first: InterfaceQos, last: InterfaceQos, now: InterfaceQos, bandwidth: int | None) -> list[str]:
    """The EF rate stays between the rate before and the rate after."""
    if bandwidth is None and not any(" bps" in state.ef_rate for state in (first, last, now)):
        bandwidth = 100  # nobody knows the BW, but it is the same one for all three
    if now.ef_rate in (first.ef_rate, last.ef_rate) or UNLIMITED in (first.ef_rate, last.ef_rate):
        return []
    low_high = [_bps(rate, bandwidth) for rate in (first.ef_rate, last.ef_rate)]
    value = _bps(now.ef_rate, bandwidth)
    ends = [rate for rate in low_high if rate is not None]
    if value is None or len(ends) < 2:
        return [f"{now.key}: EF is policed at {now.ef_rate}, neither the rate before nor the one after"]
    if value > max(ends):
        return [f"{now.key}: EF may take {now.ef_rate}, more than before and after"]
    if value < min(ends) and not _nobody_stays(first, last) and not _one_after_the_other(first, last, now):
        return [f"{now.key}: EF may take only {now.ef_rate}, less than before and after"]
    return []


def _one_after_the_other(first: InterfaceQos, last: InterfaceQos, now: InterfaceQos) -> bool:
    """Whether several policers change in turn, lower ones first: each is at its rate of before or of after."""
    before, after, held = (Counter(state.ef_rate.split(" + ")) for state in (first, last, now))
    return 1 < held.total() >= min(before.total(), after.total()) and held <= before + after


def _nobody_stays(first: InterfaceQos, last: InterfaceQos) -> bool:
    """Whether an access list decides before and after and nobody is let in by entries of both.

    Then whoever had a rate loses it with this plan and whoever gets one has none yet: a lower rate in between takes
    nothing from anybody who keeps it.
    """
    by_list = first.marker is last.marker is Marker.ACL
    return by_list and not staying(first, last)


def _bps(rate: str, bandwidth: int | None) -> Fraction | None:
    """The sum of the policers in `rate` in bit/s; None when it holds a percentage of a bandwidth that is not known."""
    if rate == NO_EF:
        return Fraction(0)
    total = Fraction(0)
    for part in rate.split(" + "):
        if part.startswith("percent "):
            total += Fraction(part.removeprefix("percent ")) * (bandwidth or 0) / 100
            if bandwidth is None:
                return None
        elif part.endswith(" bps"):
            total += int(part.removesuffix(" bps"))
        else:
            return None
    return total
