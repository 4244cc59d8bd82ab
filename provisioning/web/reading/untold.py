"""The alarm about alarms: messages that nobody took."""

from __future__ import annotations

from django.urls import reverse

from provisioning.pipeline.units import how_many
from provisioning.selectors.telling import stuck
from provisioning.web.reading.alarm import Alarm, named


def not_told() -> list[Alarm]:
    """Messages that nobody took: given up, or tried several times by now."""
    found = stuck()
    if not found:
        return []
    given_up, failing = sum(each.given_up for each in found), sum(each.failing for each in found)
    said = [f"{how_many(given_up, 'message')} given up"] if given_up else []
    said += [f"{how_many(failing, 'message')} not delivered yet"] if failing else []
    return [
        Alarm(
            "warn",
            f"{named([each.address for each in found])}: {' and '.join(said)}.",
            tuple(f"{each.address}: {each.error}" for each in found if each.error),
            reverse("web:notifications"),
            "See who was not told",
        )
    ]
