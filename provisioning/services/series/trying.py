"""What if a window that comes again were asked for: every occurrence judged as in a decision, and no row."""

from __future__ import annotations

from dataclasses import replace

from provisioning.models import Actor
from provisioning.selectors.viewers import viewer_of
from provisioning.services import clock
from provisioning.services.decisions.each import judge_each
from provisioning.services.requests.checking import check
from provisioning.services.requests.submission import row_of
from provisioning.services.series.asking import SubmitSeries, windows_of
from provisioning.services.series.deciding import Verdict


def try_out(*, actor: Actor, data: SubmitSeries) -> Verdict:
    """How each occurrence stands at this moment; nothing is stored or kept for anybody. Raises what `submit` raises."""
    now = clock.now()
    checked = check(data.asked, actor, now)
    ways = [sls for sls in (checked.out, checked.back) if sls is not None]
    groups = [
        tuple(row_of(actor, checked, replace(sls, window=window), at=now) for sls in ways)
        for window in windows_of(data, checked.out.window)
    ]
    viewer = viewer_of(actor, checked.source.nren.domain)
    return Verdict(judge_each(groups, now=now, viewer=viewer), viewer=viewer)
