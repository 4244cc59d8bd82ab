"""What if it were asked: the same checks and the same decision as for a request, and no row."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from provisioning.models import Actor
from provisioning.pipeline.admission import Admitted, Refused, to_json
from provisioning.pipeline.sls import Sls
from provisioning.services import clock
from provisioning.services.decisions.capacity import judge_what_if, within_quota
from provisioning.services.requests.asking import SubmitRequest
from provisioning.services.requests.checking import check


@dataclass(frozen=True)
class Tried:
    """``asked`` as it was understood (the way out, then the way back), the verdict, and the version of the topology."""

    asked: tuple[Sls, ...]
    verdict: tuple[Admitted, ...] | Refused
    topology: int

    @property
    def evidence(self) -> Admitted | Refused:
        """The verdict as a request's page shows it: one, with the links of both ways."""
        if isinstance(self.verdict, Refused):
            return self.verdict
        first = self.verdict[0]
        return Admitted(
            first.path,
            tuple(charge for each in self.verdict for charge in each.charges),
            tuple(found for each in self.verdict for found in each.evidence),
            tuple(dict.fromkeys(text for each in self.verdict for text in each.warnings)),
        )

    def to_json(self) -> dict[str, Any]:
        """The verdict as it would be stored with a decision."""
        return {**to_json(self.evidence), "topology": self.topology}


def try_out(*, actor: Actor, data: SubmitRequest) -> Tried:
    """Whether the request would fit at this moment; nothing is stored and nothing is kept for anybody.

    Raises what `submit` raises, but for a flow label that is in use.
    """
    now = clock.now()
    checked = check(data, actor, now)
    asked = (checked.out,) if checked.back is None else (checked.out, checked.back)
    nren = checked.source.nren
    judged = within_quota(judge_what_if(nren.domain, lambda: asked, now=now), nren, asked, own=(), now=now)
    return Tried(asked, judged.verdict, judged.version)
