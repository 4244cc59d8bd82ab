"""What requests are to become, each by itself."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Final

from expedite_client.transport import Transport
from expedite_client.values.requests import ModificationDetail, ModificationSummary

AT: Final = "modifications/"


class Modifications:
    """`modifications`: the NOC decides, the receiver agrees, who asked withdraws."""

    def __init__(self, transport: Transport) -> None:
        self._http = transport

    def show(self, modification: int) -> ModificationDetail:
        """Return one with its evidence, decided on the difference."""
        return self._http.get(ModificationDetail, f"{AT}{modification}/")

    def list(self, **filters: Any) -> Iterator[ModificationSummary]:
        """Yield those one may see. Filters: `request`, `state`, `consent`, `nren`, `receiving_nren`."""
        return self._http.pages(ModificationSummary, AT, filters)

    def admit(
        self, modification: int, *, reason: str, break_glass: str = "", key: str | None = None
    ) -> ModificationDetail:
        """Grant it. What does not fit is a Problem `does-not-fit` with the `evidence` in its body. The NOC's."""
        return self._deed(modification, "admit", {"reason": reason, "break_glass": break_glass}, key)

    def refuse(self, modification: int, *, reason: str, key: str | None = None) -> ModificationDetail:
        """Refuse it; what was granted stays. The NOC's."""
        return self._deed(modification, "refuse", {"reason": reason}, key)

    def consent(
        self, modification: int, *, agree: bool, reason: str = "", key: str | None = None
    ) -> ModificationDetail:
        """Agree to it, or decline with a reason. The receiver's."""
        return self._deed(modification, "consent", {"agree": agree, "reason": reason}, key)

    def withdraw(self, modification: int, *, reason: str, key: str | None = None) -> ModificationDetail:
        """Take it back; what was granted stays."""
        return self._deed(modification, "withdraw", {"reason": reason}, key)

    def _deed(
        self, modification: int, verb: str, body: dict[str, Any], key: str | None
    ) -> ModificationDetail:
        return self._http.post(ModificationDetail, f"{AT}{modification}/{verb}/", body, key=key)
