"""`manage.py abort CHANGE --reason WHY --as USER`: cancel what has not begun of a change."""

from __future__ import annotations

from provisioning.management.steering import SteeringCommand
from provisioning.services import changes


class Command(SteeringCommand):
    help = "Cancel what has not begun of a change; a router that was begun ends by itself, what is done stays as it is."
    deed = changes.cancel
    told = "what had not begun is cancelled."
