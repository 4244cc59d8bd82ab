"""Asking for IP Premium, agreeing to receive it, giving it back, and what time does to it."""

from provisioning.services.requests.answering import consent
from provisioning.services.requests.asking import SubmitRequest
from provisioning.services.requests.ending import Expired, expire_due, withdraw, withdraw_granted
from provisioning.services.requests.replacing import SeenOffer, may_change, take_offer
from provisioning.services.requests.room import Room, room
from provisioning.services.requests.submission import submit
from provisioning.services.requests.trying import Tried, faults, try_out

__all__ = [
    "Expired",
    "Room",
    "SeenOffer",
    "SubmitRequest",
    "Tried",
    "consent",
    "expire_due",
    "faults",
    "may_change",
    "room",
    "submit",
    "take_offer",
    "try_out",
    "withdraw",
    "withdraw_granted",
]
