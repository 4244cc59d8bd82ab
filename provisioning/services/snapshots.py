"""What routers showed, as rows."""

from __future__ import annotations

import hashlib
from functools import partial

from django.db import transaction

from inventory.models import Router
from provisioning.models import ConfigSnapshot
from provisioning.services import topology
from provisioning.services.reading import Reading


def store_snapshot(router: Router, reading: Reading) -> ConfigSnapshot:
    """Store what a router showed, its secrets removed; the same again gives the row that is there."""
    shown = {
        "digest": hashlib.sha256(reading.text.encode()).hexdigest(),
        "bandwidths": dict(reading.bandwidths),
        "serial": reading.serial,
        "host_key": reading.host_key,
        "ios": reading.version,
        "unsaved": list(reading.unsaved),
    }
    last = ConfigSnapshot.objects.filter(router=router).order_by("-pk").defer("text").first()
    if last is not None and all(getattr(last, name) == value for name, value in shown.items()):
        return last
    if last is None or last.bandwidths != shown["bandwidths"]:
        # A share is of the BW that the router shows. Not here: whoever stores this holds locks that come later in the order.
        transaction.on_commit(partial(topology.notice_shown, router.pk), robust=True)
    return ConfigSnapshot.objects.create(router=router, text=reading.text, **shown)
