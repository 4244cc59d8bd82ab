"""What was told and done, held against the rows and the routers' journals; and what is counted for the table."""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from provisioning.services import audit
from tests.soak import service_oracles as oracles
from tests.soak import service_rows as rows
from tests.soak.service_clients import Answer
from tests.soak.service_journal import Flow, Span, spans
from tests.soak.service_logs import said_in_logs
from tests.soak.service_network import Made

ACCESS_SHARE_BPS = 7_750_000  # 5 % of what a POS interface calls its bandwidth
CORE_SHARE_BPS = 31_000_000  # 20 %


@dataclass
class Found:
    """What does not hold, what waits for a person, and what it was found from."""

    told: dict[int, oracles.Told]
    seen: dict[str, dict[Flow, list[Span]]]
    faults: list[str] = field(default_factory=list)
    waits: list[str] = field(default_factory=list)
    plans: int = 0
    events: int = 0


def account(
    made: Made,
    answers: Sequence[Answer],
    journals: Mapping[str, Iterable[Mapping[str, object]]],
    edits: Counter[str],
    folder: Path,
) -> Found:
    """Ask every oracle. `journals` are the lines each router took, `edits` how many hand edits it had."""
    told, charges = rows.told(made), rows.charges()
    seen = {name: spans(journal) for name, journal in journals.items()}
    found = Found(told, seen)
    found.faults += oracles.answered(answers, told)
    found.faults += oracles.over_a_share(charges, _share)
    carried = oracles.carried(told.values(), seen, charges)
    found.faults += [f"on the routers: {each}" for each in oracles.over_a_share(carried, _share)]
    found.faults += oracles.claims_kept(told.values(), seen, time.time())
    found.faults += oracles.accounted_for(told.values())
    found.waits, silent = rows.unsaid()
    found.faults += [f"unfinished and silent: {each}" for each in silent]
    plans, events = rows.plans_and_events(edits)
    found.faults += oracles.plans_bounded(plans, events)
    found.plans = sum(plans.values())
    audit.seal_waiting()
    check = audit.verify_chain()
    found.events = check.length
    found.faults += [f"audit event {fault.sequence}: {fault.reason}" for fault in check.faults]
    found.faults += said_in_logs(folder)
    provided = ("ACTIVE", "COMPLETED")
    if not any(claim.state in provided for row in told.values() for claim in row.claims):
        found.faults.append("nothing was ever provided: this run shows nothing")
    return found


def count(
    answers: Sequence[Answer], people: Sequence[Any], faults: Counter[str], found: Found
) -> list[tuple[str, object]]:
    """The rows of the table, name and number."""
    counted: list[tuple[str, object]] = []
    said = Counter(f"{each.op} {each.status or 'no answer'}" for each in answers)
    counted += [(f"answers: {name}", number) for name, number in sorted(said.items())]
    states = Counter(row.state for row in found.told.values())
    counted += [(f"requests {name}", number) for name, number in sorted(states.items())]
    ever = Counter(claim.state for row in found.told.values() for claim in row.claims)
    counted.append(("requests that were ever ACTIVE", ever["ACTIVE"]))
    let_in = sum(len(each) for flows in found.seen.values() for flow, each in flows.items() if flow[1])
    counted.append(("stretches of time a flow was let in, told by the routers", let_in))
    deeds: Counter[str] = Counter()
    for person in people:
        deeds.update(person.done)
    counted += [(f"people: {name}", number) for name, number in sorted(deeds.items())]
    counted += [(f"fault: {name}", number) for name, number in sorted(faults.items())]
    counted.append(("plans stored after the baseline", found.plans))
    counted.append(("audit events", found.events))
    return counted


def _share(link: str) -> int:
    return CORE_SHARE_BPS if "--" in link else ACCESS_SHARE_BPS
