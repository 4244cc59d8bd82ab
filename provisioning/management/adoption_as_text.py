"""What was recognised on a router, as a person on call reads it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

from provisioning.management.printable import printable
from provisioning.pipeline.adoption import Found, RouterAdoption, Verdict, Weight
from provisioning.pipeline.units import how_many, rate_text
from provisioning.services.adopting import Recognised

_HEAD = {
    Verdict.RECOGNISED: "= {case}",
    Verdict.DIFFERENT: "NOT RECOGNISED; nearest is {case}",
    Verdict.AMBIGUOUS: "AMBIGUOUS",
    Verdict.MISPLACED: "MISPLACED: means {case}",
    Verdict.ABSENT: "no policy is bound",
}
_MARK = {Weight.SAME: "says the same", Weight.TODAY: "equal today", Weight.DIFFERS: "DIFFERS"}


def as_text(recognised: Iterable[Recognised]) -> str:
    """All routers, one block each."""
    return printable("\n".join(line for each in recognised for line in (*_router(each), "")))


def as_json(recognised: Iterable[Recognised]) -> list[dict[str, Any]]:
    """The same as plain values."""
    return [
        {"source": each.look.source, "notes": list(each.notes), **each.adoption.to_json()}
        for each in recognised
    ]


def _router(each: Recognised) -> Iterator[str]:
    adoption = each.adoption
    yield f"=== {adoption.router}  (from {each.look.source}, seen {adoption.digest[:12]})"
    for place in adoption.places:
        yield from _place(place)
    for entry in adoption.names:
        where = f" on {entry.link}" if entry.link else ""
        own = ", in the router's own words" if entry.form is not None else ""
        yield f"  name: {entry.kind} {entry.base}{where} goes by {entry.name}{own}"
    for link, case in sorted(adoption.cases.items()):
        yield f"  case: {link} becomes {case}, standing"
    for text in each.notes:
        yield f"  note: {text}"
    for text in adoption.left:
        yield f"  left untouched: {text}"
    for text in adoption.open_edges:
        yield f"  open edge: {text}; say what it is in the network file, or exempt it there with a reason"
    yield from _proof(adoption)


def _proof(adoption: RouterAdoption) -> Iterator[str]:
    """What is proven, and of how much; else what is in the way, and what comes next."""
    if adoption.in_vain:
        yield "  NOT PROVEN: no policy is recognised at a place the inventory knows, so there is nothing to prove"
    elif adoption.proof.empty:
        grants = (
            f", with {how_many(adoption.grants, 'reservation')} yet to be confirmed"
            if adoption.grants
            else ""
        )
        yield f"  proof: re-rendering changes nothing{grants}"
        left = [
            f"{place.key} ({'not in the inventory' if place.verdict is Verdict.RECOGNISED else 'not recognised'})"
            for place in adoption.apart
        ]
        if left:
            yield f"  not part of it: {', '.join(left)}: stays as it is, and is not Expedite's"
        return
    else:
        yield "  NOT PROVEN: re-rendering would change this router"
    for text in adoption.proof.conflicts:
        yield f"    in the way: {text}"
    for text in adoption.proof.commands:
        yield f"    would send: {text}"
    yield (
        "  next: on the router, by hand, mend what DIFFERS says (or say in the network file what the interface is), and "
        "look again. Until then it stays as it is; the others can be adopted without it"
    )


def _place(place: Found) -> Iterator[str]:
    role = "not in the inventory" if place.role is None else f"{place.role.value} {place.link}"
    head = _HEAD[place.verdict].format(case=place.case or "nothing in the scheme")
    policy = f"{place.policy} " if place.policy else ""
    yield f"  {place.key} {place.direction} ({role}): {policy}{head}"
    for entry in place.classes:
        stands = f"   [{entry.stands_for}]" if entry.stands_for else ""
        matches = " and ".join(entry.matches) or "everything else"
        actions = "; ".join(entry.actions) or "nothing"
        yield f"    class {entry.name}: {matches} -> {actions}{stands}"
    for finding in place.differences:
        yield f"    {_MARK[finding.weight]}: {finding}"
    for grant in place.grants:
        if not grant.access_list:
            bps = grant.counted_bps or 0
            yield (
                f"    grant in {grant.entry}: {rate_text(bps)}, bucket {grant.bucket_bytes} bytes, for whoever marks: ask for "
                f"the reservations from {place.link} that come to it; until then no plan of it can be approved"
            )
            continue
        if grant.why_not:
            yield f"    grant in {grant.access_list}: {grant.entry}: cannot be a reservation: {grant.why_not}"
            continue
        rate = "" if grant.counted_bps is None else f", policed together at {rate_text(grant.counted_bps)}"
        label = (
            "" if grant.sls is None or not grant.sls.flow_label else f", flow label {grant.sls.flow_label}"
        )
        what = f"grant in {grant.access_list}: {grant.source} to {grant.destination}{label}{rate}"
        if place.verdict is not Verdict.RECOGNISED:
            yield f"    {what}: to be asked for as a reservation once this policy is recognised"
        elif place.role is None:
            yield f"    {what}: to be asked for as a reservation once this is an access link of the inventory"
        else:
            yield f"    {what}: ask for it as a reservation from {place.link} (its rate is not on the router)"
