"""The marks by which `mqc diff --explain` judges an edge, where no scheme says them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from provisioning.errors import InvalidInput
from provisioning.pipeline.intent import Markings
from provisioning.pipeline.mqc import dscp
from provisioning.pipeline.mqc.codepoints import DSCP_NAMES

_NAMES: Final = {number: name for name, number in DSCP_NAMES.items()}
ASSUMED: Final = "those of 6NET, `ef/cs1`"


@dataclass(frozen=True)
class Marks:
    """What may enter how; ``assumed`` when nobody said it."""

    markings: Markings
    assumed: bool

    @property
    def text(self) -> str:
        """The marks in one line."""
        premium, others = self.markings.premium, self.markings.allowed - self.markings.premium
        said = "marks assumed (--marks says others)" if self.assumed else "marks"
        enters, enter = ("enters" if len(each) == 1 else "enter" for each in (premium, others))
        return (
            f"{said}: {_spelled(premium)} {enters} only authorised and policed, {_spelled(others)} {enter} as sent, and no other "
            "mark may be kept"
        )


def read_marks(text: str | None) -> Marks:
    """The marks of ``46,47/8``: what may enter only authorised and policed, behind the slash what may enter as it is; 0 may
    always. Names (``ef``) are taken too. None gives 6NET's. Raises InvalidInput.
    """
    if text is None:
        return Marks(Markings(), assumed=True)
    premium, slash, others = text.partition("/")
    policed = _dscps(premium)
    if slash and not others:
        raise InvalidInput(f"`{text}` names nothing behind the slash", field="--marks")
    allowed = policed | {0} | (_dscps(others) if others else frozenset())
    return Marks(Markings(policed, allowed), assumed=False)


def _dscps(text: str) -> frozenset[int]:
    try:
        return frozenset(dscp(word) for word in text.split(","))
    except InvalidInput as wrong:
        raise InvalidInput(wrong.reason, field="--marks") from wrong


def _spelled(values: frozenset[int]) -> str:
    return " and ".join(
        f"DSCP {value}" + (f" ({_NAMES[value]})" if value in _NAMES else "") for value in sorted(values)
    )
