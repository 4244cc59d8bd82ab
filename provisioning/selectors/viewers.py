"""Who sees what of links: everything, or of those of others only whether something fits."""

from __future__ import annotations

from inventory.models import AccessLink, Domain
from provisioning.errors import InvalidInput
from provisioning.models import Actor
from provisioning.pipeline.admission import Viewer
from provisioning.pipeline.scheme import Telling
from provisioning.selectors.schemes import scheme_of


def viewer_of(actor: Actor, domain: Domain) -> Viewer | None:
    """Who is told in steps, and in which; None for those who see everything. Under a scheme that cannot be read nothing is
    judged, and its steps are those of a scheme that says nothing.
    """
    if actor.sees_everything:
        return None
    try:
        telling = scheme_of(domain).telling
    except InvalidInput:
        telling = Telling()
    own = AccessLink.objects.filter(nren_id__in=actor.nren_ids).values_list("name", flat=True)
    return Viewer(actor.nren_ids, frozenset(own), telling.rates_in_bps, telling.others_in_bps)
