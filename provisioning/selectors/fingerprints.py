"""What has a fingerprint: routers by their pinned host keys, changes by what was planned and approved."""

from __future__ import annotations

import re
from typing import Final

from django.db.models import Q

from inventory.models import Router
from provisioning.drivers.host_keys import PinnedKey
from provisioning.errors import InvalidInput
from provisioning.models import Approval, RouterPush

_BEGINNING: Final = re.compile(r"[0-9a-f]{8,64}")


def is_beginning(text: str) -> bool:
    """Whether `text` can be the beginning of a fingerprint of a change: sha256 in hex, eight digits at least."""
    return _BEGINNING.fullmatch(text.lower()) is not None


def of_change(text: str) -> Q:
    """Return the changes whose approval, plan or push has a fingerprint that begins so; none where `text` is no beginning."""
    if not is_beginning(text):
        return Q(pk__in=[])
    said = text.lower()
    pushes = RouterPush.objects.filter(Q(fingerprint__startswith=said) | Q(plan_digest__startswith=said))
    approvals = Approval.objects.filter(fingerprint__startswith=said)
    return (
        Q(approved_fingerprint__startswith=said)
        | Q(pk__in=pushes.values("change"))
        | Q(pk__in=approvals.values("change"))
    )


def fingerprinted(text: str) -> dict[str, str]:
    """Return the fingerprints (``SHA256:...``) that begin so, capitals counting, by the name of the router.

    A fingerprint is of a key, and only keys are stored: those of all routers are read.
    """
    found = {}
    pinned = Router.objects.exclude(host_key="").order_by("name").values_list("name", "host_key")
    for name, key in pinned:
        try:
            fingerprint = PinnedKey.parse(key).fingerprint
        except InvalidInput:  # what nobody can connect with has none
            continue
        if fingerprint.startswith(text):
            found[name] = fingerprint
    return found
