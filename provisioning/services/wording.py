"""What people may write: bounded, printable, and never able to become a line of configuration."""

from __future__ import annotations

from provisioning.errors import InvalidInput

LONGEST_REASON = 2000


def reason_text(text: str, *, field: str = "reason", needed: bool = True) -> str:
    """``text`` without blanks around it, at most 2000 characters, line breaks as ``\\n``; control
    and invisible characters refused.

    A reason is read by people and never sent to a router. Raises InvalidInput naming ``field``, also for an
    empty one when it is needed.
    """
    if not isinstance(text, str) or len(text) > LONGEST_REASON:
        raise InvalidInput(f"text of at most {LONGEST_REASON} characters is needed", field=field)
    lines = [line.rstrip() for line in text.replace("\r\n", "\n").replace("\t", " ").split("\n")]
    _shown_as_itself("".join(lines), field)
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
    if "!" in made or "\n" in made or "\r" in made:
        raise InvalidInput("one line without control characters and without '!' is needed", field=field)
    _shown_as_itself(made, field)
    return made


def title_text(text: str, *, longest: int = 200) -> str:
    """A title on one line of at most ``longest`` characters; empty when none is given. Raises InvalidInput."""
    if not isinstance(text, str) or len(text.strip()) > longest:
        raise InvalidInput(f"text of at most {longest} characters is needed", field="title")
    made = text.strip()
    _shown_as_itself(made, "title")
    return made


def _shown_as_itself(text: str, field: str) -> None:
    """Refuse characters that nobody sees, or that turn the direction of what follows (U+202E, U+200B), by name."""
    hidden = sorted({f"U+{ord(character):04X}" for character in text if not character.isprintable()})
    if hidden:
        raise InvalidInput(
            f"control characters and invisible ones are not allowed: {', '.join(hidden[:5])}", field=field
        )
