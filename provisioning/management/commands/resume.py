"""`manage.py resume CHANGE --reason WHY --as USER`: let a paused change go on."""

from __future__ import annotations

from provisioning.management.steering import SteeringCommand
from provisioning.services import steering


class Command(SteeringCommand):
    help = "Let a paused change go on: its routers are all read again before the next one is begun."
    deed = steering.resume
    told = "it goes on; its routers are all read again first."
