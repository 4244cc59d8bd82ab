"""The line above a policy that names where it is bound: an interface, a circuit of one, the control plane, a session."""

from __future__ import annotations

import re
from typing import Final

_INTERFACE: Final = re.compile(
    r"(?:Interface:? )?(?P<name>(?:[A-Z]|(?=(?:atm|pos|serial|[a-z]*ethernet)[0-9])[a-z])[A-Za-z-]+ ?[0-9](?:[0-9/.:]*[0-9])?)"
    r"(?: ?: (?P<circuit>[A-Za-z].*?))?(?: -)?\Z"
)
_TUNNEL: Final = re.compile(r"(?:Interface )?(?P<name>Tunnel[0-9]+) <--> (?P<circuit>\S+)\Z")
_SESSION: Final = re.compile(r"(?P<name>SSS session identifier \d+|Service Group \d+)(?: -)?\Z")
_CONTROL: Final = re.compile(r"control plane(?: -)?(?P<rest>(?: (?!-)\S+)*)(?: -)?\Z", re.IGNORECASE)
_UNUSUAL: Final = re.compile(r"[A-Za-z][A-Za-z0-9-]*(?: [A-Za-z]+)?(?: ?[0-9][0-9/.:@]*)(?: ?[-:,(<].*)?\Z")
_ONE_WORD: Final = re.compile(r"\A([A-Za-z-]+) ([0-9][0-9/.:@]*)\Z")
_SAID_BEFORE: Final = re.compile(
    r"Load for |Time source is |Counters last updated|\S*[#>]|\*?[A-Z][a-z]{2} +\d|.*%[A-Z]"
)
"""What stands above a policy and is no place: the time, a prompt with its command, a message of the log."""

Place = tuple[str, str | None]
"""Interface, and its circuit: the numbers of an ATM PVC, other circuits (DLCI 100, EVC 10) with their kind."""


def usual_place(text: str) -> Place | None:
    """The place a line names, wherever the line stands; None where it may be something else."""
    if not text[0].isalpha():
        return None
    control = _CONTROL.match(text) if text[0] in "Cc" else None
    if control is not None:
        return f"control-plane{control['rest'].lower()}", None
    session = _SESSION.match(text) if text[0] == "S" else None
    if session is not None:
        return session["name"], None
    found = _INTERFACE.match(text) or ("<-->" in text and _TUNNEL.match(text))
    if not found:
        return None
    circuit = found["circuit"]
    return found["name"].replace(" ", ""), circuit and circuit.removeprefix("VC ").strip()


def unusual_place(text: str, *, outside: bool) -> Place | None:
    """The place a line directly above a policy names that ``usual_place`` does not know.

    ``outside`` says that the line stands left of the policy, where no line of a class can be; without it, in a text
    without indentation, only what looks like an interface is one.
    """
    if _SAID_BEFORE.match(text) or not any(each.isdigit() for each in text):
        return None
    if not outside and not _UNUSUAL.match(text):
        return None
    return _ONE_WORD.sub(r"\1\2", text), None
