"""What people may write: bounded, printable, and never able to become a line of configuration."""

from __future__ import annotations

from provisioning.errors import InvalidInput

LONGEST_REASON = 2000


def reason_text(text: str, *, field: str = "reason", needed: bool = True) -> str:
    """``text`` without blanks around it, at most 2000 characters, line breaks as ``\\n``; control
    characters refused.

    A reason is read by people and never sent to a router. Raises InvalidInput naming ``field``, also for an
    empty one when it is needed.
    """
    if not isinstance(text, str) or len(text) > LONGEST_REASON:
        raise InvalidInput(f"text of at most {LONGEST_REASON} characters is needed", field=field)
    lines = [line.rstrip() for line in text.replace("\r\n", "\n").split("\n")]
    if any(not line.isprintable() for line in lines):
        raise InvalidInput("control characters are not allowed", field=field)
    made = "\n".join(lines).strip()
    if needed and not made:
        raise InvalidInput("say why", field=field)
    return made


def one_line(text: str, *, field: str, longest: int) -> str:
    """``text`` on one line, without blanks around it, of 1 to ``longest`` characters, without control
    characters or ``!``.

    ``!`` starts a comment in IOS. Raises InvalidInput naming ``field``.
    """
    if not isinstance(text, str) or not 0 < len(text.strip()) <= longest:
        raise InvalidInput(f"text of 1 to {longest} characters is needed", field=field)
    made = text.strip()
    if not made.isprintable() or "!" in made:
        raise InvalidInput("one line without control characters and without '!' is needed", field=field)
    return made
