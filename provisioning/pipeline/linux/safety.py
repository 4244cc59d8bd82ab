"""What of an edge is open, of a state as such: every step of a difference is judged by it."""

from __future__ import annotations

from provisioning.pipeline.linux.values import LinuxState, Rule, Selector


def gaps(state: LinuxState, premium: frozenset[int]) -> frozenset[str]:
    """Where an interface lets in what it should not: a sentence each; `premium` are the DSCPs that may enter policed only."""
    found: set[str] = set()
    for interface, rules in state.inward.items():
        for family in (6, 4):
            last = [rule for rule in rules if rule.selector == Selector(family)]
            if not last or last[-1].dscp is None:
                found.add(f"{interface}: the rest of IPv{family} enters with the mark it has")
        found |= {
            f"{interface}: {rule.counter} is let in as {rule.dscp if rule.dscp is not None else rule.selector.dscp} unpoliced"
            for rule in rules
            if _premium(rule, premium) and not _policed(state, interface, rule.selector)
        }
    return frozenset(found)


def _premium(rule: Rule, premium: frozenset[int]) -> bool:
    """Whether packets leave the rule with a mark that is premium."""
    mark = rule.selector.dscp if rule.dscp is None else rule.dscp
    return mark in premium


def _policed(state: LinuxState, interface: str, packets: Selector) -> bool:
    """Whether all of them go through a policer that stands, whichever filter takes them."""
    for each in state.filters.get(interface, ()):
        policer = state.policers.get(each.device)
        if each.selector.meets(packets) and (policer is None or not policer.rate_bps):
            return False
        if each.selector.covers(packets):
            return True
    return False
