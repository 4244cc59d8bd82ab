"""Who sees what of links: everything, or of those of others only whether something fits."""

from __future__ import annotations

from django.db.models import Exists, OuterRef, Q

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
    return Viewer(actor.nren_ids, own_links_of(actor), telling.rates_in_bps, telling.others_in_bps)


def own_links_of(actor: Actor) -> frozenset[str]:
    """The names of the access links whose numbers are the actor's own: those of its NRENs that are in use, and those that were
    retired, as what was decided on them is theirs to read still. A name that another NREN's link has, or had too, is theirs
    only while their own link is in use.
    """
    others = AccessLink.every.filter(name=OuterRef("name")).exclude(nren_id__in=actor.nren_ids)
    own = AccessLink.every.filter(nren_id__in=actor.nren_ids).filter(Q(retired_at=None) | ~Exists(others))
    return frozenset(own.order_by().values_list("name", flat=True))
