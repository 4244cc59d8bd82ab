"""What a person does next about the end of a push, whatever door it comes through."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import Final


class Verb(StrEnum):
    """What a person has done next about the end of a push."""

    RETRY = "retry"
    FINISH = "finish"
    UNDO = "undo"
    REPAIR = "repair"
    SAVE = "save"
    LOOK = "look"
    DEALT_WITH = "dealt-with"


@dataclass(frozen=True, slots=True)
class Deed:
    """How a verb is called on a button, and what it does. `reason`: it is asked for one."""

    title: str
    does: str
    reason: bool = True


DEEDS: Final[Mapping[Verb, Deed]] = {
    Verb.RETRY: Deed(
        "Plan again",
        "The router is read again and planned anew: for the requests that the change carried with what else is due there, or "
        "as it was planned by a person before. Nothing is sent before that plan is approved.",
    ),
    Verb.FINISH: Deed(
        "Plan the rest",
        "The routers of the change that are not verified are read again and planned anew. Nothing is sent before that plan is "
        "approved; what is verified stays.",
    ),
    Verb.UNDO: Deed(
        "Undo",
        "Everything that the change put on is withdrawn, all or none; taking it off is planned router by router, and nothing is "
        "sent before that is approved.",
    ),
    Verb.REPAIR: Deed(
        "Plan a repair",
        "The router is read again, and what was edited by hand in objects of ours is planned back as intended. Nothing is "
        "sent before that plan is approved.",
    ),
    Verb.SAVE: Deed(
        "Save with a reason",
        "The router is read again, and exactly the lines that were shown are saved to startup-config.",
    ),
    Verb.LOOK: Deed(
        "Look again now",
        "The router is read as soon as a worker is free; a push that is half way is finished or taken back as approved.",
        reason=False,
    ),
    Verb.DEALT_WITH: Deed(
        "It is dealt with",
        "It leaves the queue page, with your reason in the audit trail. Nothing is planned or sent.",
    ),
}
