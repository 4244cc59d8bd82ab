"""Text captured from routers, read from a file or from standard input, with its limits."""

from __future__ import annotations

import codecs
import sys
from pathlib import Path
from typing import BinaryIO

from provisioning.errors import ExpediteError, InvalidInput, ParseFailure
from provisioning.pipeline.ios.lines import MAX_CHARACTERS

_UTF16 = (codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)


def read_captured(file: str) -> str:
    """The text of a file, or of standard input where ``file`` is ``-``.

    UTF-8, else ISO 8859-1 as terminals of that age send it; UTF-16 where its mark says so. Never reads more than the
    parser would take. Raises InvalidInput naming the file: missing, unreadable, a directory, too large.
    """
    try:
        if file == "-":
            content = _bounded(sys.stdin.buffer)
        else:
            with Path(file).open("rb") as stream:
                content = _bounded(stream)
    except OSError as error:
        raise InvalidInput(error.strerror or str(error), field=file or "''") from error
    if len(content) > MAX_CHARACTERS:
        raise InvalidInput(f"larger than {MAX_CHARACTERS} bytes: no configuration is", field=file)
    if content.startswith(_UTF16):
        return content.decode("utf-16", errors="replace")
    try:
        return content.decode("utf-8-sig")
    except UnicodeDecodeError:
        return content.decode("iso-8859-1")


def located(file: str, error: ExpediteError) -> str:
    """``FILE:7:3: reason`` where line and column are known, ``FILE: line 7: reason`` where the line is; a reading error
    already names the file as its field.
    """
    if isinstance(error, ParseFailure) and error.line and error.column:
        return f"{file}:{error.line}:{error.column}: {error.reason}"
    return str(error) if error.field in (file, "''") else f"{file}: {error}"


def _bounded(stream: BinaryIO) -> bytes:
    return stream.read(MAX_CHARACTERS + 1)
