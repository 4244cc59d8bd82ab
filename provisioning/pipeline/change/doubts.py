"""What a router would probably refuse of a plan: an operator may go ahead all the same, saying why."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from provisioning.pipeline.platforms import Finding


@dataclass(frozen=True, slots=True)
class Doubt:
    """A warning of the platform's rules about one place: ``place`` is an interface key, ``finding`` carries the
    evidence.
    """

    place: str
    finding: Finding

    @property
    def text(self) -> str:
        """Place, what is doubtful, how well that is known and from where."""
        return f"{self.place}: {self.finding}"

    def to_json(self) -> dict[str, Any]:
        return {"place": self.place, **self.finding.to_json()}

    @classmethod
    def from_json(cls, data: Mapping[str, Any]) -> Doubt:
        return cls(data["place"], Finding.from_json(data))
