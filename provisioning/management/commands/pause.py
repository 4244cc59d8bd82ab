"""`manage.py pause CHANGE --reason WHY --as USER`: begin no further router of an approved change until somebody lets it go on."""

from __future__ import annotations

from provisioning.management.steering import SteeringCommand
from provisioning.services import steering


class Command(SteeringCommand):
    help = "Begin no further router of an approved change until somebody lets it go on; one that was begun ends by itself."
    deed = steering.pause
    told = "no further router is begun until `manage.py resume {0} --as USER --reason WHY`."
