"""The lines of a request before they are due, as rows for the page."""

from __future__ import annotations

from dataclasses import dataclass

from provisioning.models import Actor, ApprovedLines, PremiumRequest
from provisioning.pipeline.safety import Together, tell, together
from provisioning.selectors.ahead import approved_lines
from provisioning.selectors.authority import to_approving_lines
from provisioning.services.ahead import Foreseen, Side
from provisioning.services.intents import ON
from provisioning.web.plans import Row, told_rows


@dataclass(frozen=True)
class SideView:
    """One side, ready to be shown: its lines with what each changes, and the state of what they touch in the end."""

    side: Side
    rows: tuple[Row, ...]
    after: tuple[Together, ...]
    beside: tuple[str, ...]
    together: tuple[str, ...]
    given: tuple[ApprovedLines, ...]
    current: bool

    @property
    def title(self) -> str:
        return "Puts it on" if self.side.puts_on else "Takes it off"


@dataclass(frozen=True)
class LinesView:
    """Both sides, what has to be confirmed, and whether this person may approve; `why_not` says why not."""

    found: Foreseen
    sides: tuple[SideView, ...]
    gaps: tuple[str, ...]
    doubts: tuple[str, ...]
    why_not: tuple[str, ...]

    @property
    def may_approve(self) -> bool:
        return bool(self.sides) and not self.why_not


def view_of(actor: Actor, found: Foreseen, *, decided: bool = True) -> LinesView:
    """Return what is shown of the lines to this person; before the decision they can be approved only with it."""
    given = list(approved_lines(found.request))
    why_not = [
        f"The lines that {'put it on' if side.puts_on else 'take it off'} cannot be foreseen."
        for side in found.sides
        if side.why_not
    ]
    if decided and found.request.state not in ON:
        why_not.append("Lines are approved ahead of an admitted request.")
    why_not += [each.text for each in to_approving_lines(actor, [found.request])]
    return LinesView(
        found=found,
        sides=tuple(_side(side, found, given) for side in found.sides),
        gaps=tuple(dict.fromkeys(gap for side in found.sides for gap in side.gaps)),
        doubts=tuple(dict.fromkeys(text for side in found.sides for text in side.doubts)),
        why_not=tuple(why_not),
    )


def standing_of(asked: PremiumRequest) -> dict[str, list[ApprovedLines]]:
    """Who has approved ahead what puts the request on and what takes it off, for its page; nothing is worked out."""
    given = list(approved_lines(asked))
    return {
        "on": [row for row in given if row.puts_on],
        "off": [row for row in given if not row.puts_on],
    }


def _side(side: Side, found: Foreseen, given: list[ApprovedLines]) -> SideView:
    rows: list[Row] = []
    after: list[Together] = []
    for plan in side.plans:
        told = tell(plan.proof, found.bandwidths)
        rows += told_rows(plan.commands, told)
        moved = {each.interface for line in told.lines for each in line.changed}
        after += together([one for one in told.end if one.interface in moved])
    mine = tuple(row for row in given if row.puts_on == side.puts_on)
    return SideView(
        side=side,
        rows=tuple(rows),
        after=tuple(after),
        beside=tuple(f"PIP-{pk}" for pk in side.beside),
        together=tuple(f"PIP-{pk}" for pk in side.together),
        given=mine,
        current=any(row.lines_digest == side.lines_digest for row in mine),
    )
