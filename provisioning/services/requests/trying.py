"""What if it were asked: the same checks and the same decision as for a request, and no row."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from provisioning.errors import InvalidFields, InvalidInput, NotPermitted
from provisioning.models import Actor
from provisioning.pipeline.admission import Admitted, Refused, Seen, Viewer, as_seen
from provisioning.pipeline.sls import Sls
from provisioning.selectors.viewers import viewer_of
from provisioning.services import clock
from provisioning.services.decisions.capacity import judge_what_if, within_quota
from provisioning.services.requests.asking import SubmitRequest
from provisioning.services.requests.checking import check


@dataclass(frozen=True)
class Tried:
    """``asked`` as it was understood (the way out, then the way back), the verdict as ``viewer`` may be told (None: exactly), and
    the version of the topology; ``asker`` is the key of the NREN that would ask.
    """

    asked: tuple[Sls, ...]
    verdict: tuple[Admitted, ...] | Refused
    topology: int
    asker: int
    viewer: Viewer | None = None

    @property
    def seen(self) -> Seen:
        """The verdict as whoever tried may see it."""
        return as_seen(self.evidence, self.viewer, asker=self.asker)

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
        """The verdict as whoever tried may see it, as it would be stored with a decision."""
        return {**self.seen.to_json(), "topology": self.topology}


def try_out(*, actor: Actor, data: SubmitRequest) -> Tried:
    """Whether the request would fit at this moment; nothing is stored and nothing is kept for anybody.

    Raises what `submit` raises, but for a flow label that is in use.
    """
    now = clock.now()
    checked = check(data, actor, now)
    asked = (checked.out,) if checked.back is None else (checked.out, checked.back)
    nren = checked.source.nren
    viewer = viewer_of(actor, nren.domain)
    found = judge_what_if(nren.domain, lambda: asked, now=now, viewer=viewer)
    judged = within_quota(found, nren, asked, own=(), now=now)
    return Tried(asked, judged.verdict, judged.version, nren.pk, viewer)


def faults(*, actor: Actor, data: SubmitRequest) -> tuple[InvalidInput, ...]:
    """Return what is wrong with a request, the first thing of each field; nothing where it could be asked, or nothing can be
    said because ``actor`` may not ask there.
    """
    try:
        check(data, actor, clock.now())
    except InvalidFields as several:
        return tuple(several.errors)
    except NotPermitted:
        return ()
    return ()
