"""`manage.py abort CHANGE --reason WHY --as USER`: cancel what has not begun of a change."""

from __future__ import annotations

from typing import Any

from provisioning.management.steering import SteeringCommand
from provisioning.models import Change


class Command(SteeringCommand):
    help = "Cancel what has not begun of a change; a router that was begun ends by itself, what is done stays as it is."
    told = "what had not begun is cancelled."

    @staticmethod
    def deed(**said: Any) -> Change:
        # Loaded once there is a change: it takes longer to load than to say that there is none.
        from provisioning.services import changes

        return changes.cancel(**said)
