"""Which words may reach a template: nothing that could become a second line or a comment on a router."""

from __future__ import annotations

import re

from provisioning.errors import InvalidInput

# IOS takes names of up to 40 characters (ios-facts 2.1); a blank would end the name and start an argument, a `?` print
# help, a `!` begin a comment, a quote take the blanks behind it in. Everything else is for the operator: `#` stands in
# all names that Cisco's own controllers give (`prm-MARKING_IN#VOICE`).
_NAME = re.compile(r"[A-Za-z0-9_#][A-Za-z0-9_.:/+#@&%$*=(),~-]{0,39}\Z")
_INTERFACE = re.compile(r"[A-Za-z][A-Za-z-]*[0-9]+(?:/[0-9]+)*(?:[.:][0-9]+)?\Z")
_PVC = re.compile(r"(?:[0-9]+/)?[0-9]+\Z")


def name(text: str, *, field: str) -> str:
    """Return `text` when it can be the name of an IOS object; raises InvalidInput naming `field` otherwise."""
    if not _NAME.match(text):
        raise InvalidInput(
            f"{_shown(text)} cannot be an IOS name (1-40 letters, digits, -_.:/+#@&%$*=(),~)", field=field
        )
    return text


def interface(text: str) -> str:
    """Return `text` when it is an interface name such as POS1/0 or ATM2/0.1; raises InvalidInput otherwise."""
    if not _INTERFACE.match(text):
        raise InvalidInput(f"{_shown(text)} is not an interface name", field="interface")
    return text


def pvc(text: str) -> str:
    """Return `text` when it is vpi/vci (or vci); raises InvalidInput otherwise."""
    if not _PVC.match(text):
        raise InvalidInput(f"{_shown(text)} is not a PVC (vpi/vci)", field="pvc")
    return text


def one_line(text: str, *, field: str) -> str:
    """Return free text (a description, a remark, an entry) when it stays on one line and starts no comment.

    Raises InvalidInput naming `field` for a control character, a `?` (IOS would print help), a `!` (a comment;
    after the words `description` and `remark` it is text) or text beyond 200 characters, the longest a router of that age keeps.
    """
    if len(text) > 200:
        raise InvalidInput("longer than 200 characters", field=field)
    if any(_steers(char) for char in text):
        raise InvalidInput(f"{_shown(text)} holds a control character", field=field)
    is_said = field == "description" or text.startswith("remark ")
    if "?" in text or ("!" in text and not is_said):
        raise InvalidInput(
            f"{_shown(text)} holds a character that a router does not read as text", field=field
        )
    return text


def _steers(char: str) -> bool:
    """Whether a terminal obeys a character, takes it for the end of a line, or cannot be sent it (half of a surrogate pair)."""
    code = ord(char)
    return code < 32 or 127 <= code < 160 or char in "\u2028\u2029" or 0xD800 <= code <= 0xDFFF


def _shown(text: str) -> str:
    return repr(text if len(text) <= 60 else f"{text[:60]}...")
