"""Approving the lines of a reservation before they are due: foreseen, shown, approved once (ADR 22).

`foresee` works out what would put a request on its ingress and take it off again; `approve_ahead` keeps a person's word
on that; `planning.covering` holds it against the plan that is made when it is due.
"""

from provisioning.services.ahead.approving import (
    admit_with_lines,
    approve_ahead,
    lock_given,
    revoke,
    take_back,
)
from provisioning.services.ahead.foreseeing import Foreseen, Side, foresee
from provisioning.services.ahead.shown import shown

__all__ = [
    "Foreseen",
    "Side",
    "admit_with_lines",
    "approve_ahead",
    "foresee",
    "lock_given",
    "revoke",
    "shown",
    "take_back",
]
