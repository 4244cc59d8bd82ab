"""The lines of a request before they are due, for a terminal and as JSON."""

from __future__ import annotations

from collections.abc import Iterable

from provisioning.management.mqc_as_text import told_as_text
from provisioning.management.printable import printable
from provisioning.models import ApprovedLines
from provisioning.pipeline.ahead import text_of
from provisioning.pipeline.safety import tell
from provisioning.selectors.waiting import wait_of
from provisioning.services.ahead import Foreseen, Side


def lines(found: Foreseen, given: Iterable[ApprovedLines], *, explain: bool = False) -> str:
    """What would put the request on and take it off, what has to be confirmed, and who approved it."""
    rows = list(given)
    seen = "never read" if found.seen_at is None else f"as last seen {found.seen_at:%Y-%m-%d %H:%M:%S} UTC"
    text = [f"{found.request.reference} on {found.router.name} ({seen})"]
    if (wait := wait_of(found.request)) is not None:
        text.append(f"Waits: {wait.text}")
    text.append("")
    for side in found.sides:
        text += [*_side(side, found, explain=explain), ""]
    if not found.sides:
        text += ["Nothing is left to be sent for it.", ""]
    text += [
        f"Approved ahead: {'on' if row.puts_on else 'off'} by {row.user.get_username()}, {row.at:%Y-%m-%d %H:%M:%S} UTC"
        for row in rows
    ]
    text.append(f"Fingerprint: {found.fingerprint}")
    gaps = any(side.gaps for side in found.sides)
    doubts = any(side.doubts for side in found.sides)
    asked = f"{' --confirm-gaps' if gaps else ''}{' --override WHY' if doubts else ''}"
    text.append(f"Next: manage.py approve {found.request.reference} --as USER{asked} --seen FINGERPRINT")
    return printable("\n".join(text))


def _side(side: Side, found: Foreseen, *, explain: bool) -> list[str]:
    when = "whenever it ends" if side.at is None else f"at {side.at:%Y-%m-%d %H:%M:%S} UTC"
    text = [f"{'Puts it on' if side.puts_on else 'Takes it off'} {when}"]
    if side.beside:
        text.append(f"  beside {', '.join(f'PIP-{pk}' for pk in side.beside)}")
    if side.together:
        text.append(f"  together with {', '.join(f'PIP-{pk}' for pk in side.together)} on the same link")
    if side.why_not:
        return [*text, f"  CANNOT BE FORESEEN: {side.why_not}"]
    if not side.lines:
        return [*text, "  nothing to send"]
    if explain:
        for plan in side.plans:
            text += [f"  {row}" for row in told_as_text(plan.commands, tell(plan.proof, found.bandwidths))]
    else:
        text += [f"  {row}" for row in text_of(side.lines).splitlines()]
    text += [f"  GAP       {gap}" for gap in side.gaps]
    text += [f"  REFUSED?  {each.text}" for plan in side.plans for each in plan.alternatives]
    text += [f"  DOUBT     {doubt}" for doubt in side.doubts]
    return text
