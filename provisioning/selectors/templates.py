"""The IOS templates as a Jinja environment, and one hash over all of them.

The pipeline reads no files: it is handed the environment built here. The hash goes into every plan's fingerprint,
so that a template edited between approval and push makes the plan stale.
"""

from __future__ import annotations

import hashlib
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from jinja2 import Environment

IOS_TEMPLATES = Path(__file__).resolve().parents[2] / "templates" / "ios"


def ios_environment(directory: Path = IOS_TEMPLATES) -> Environment:
    """Return the environment the renderer prints with.

    A name a template uses and does not get is an error (StrictUndefined), never an empty string in a router's
    configuration. Nothing is escaped: what is printed is IOS, and values are checked before they reach a template
    (`pipeline.rendering`).
    """
    from jinja2 import Environment, FileSystemLoader, StrictUndefined  # not before something is printed

    return Environment(
        loader=FileSystemLoader(directory),
        undefined=StrictUndefined,
        autoescape=False,  # noqa: S701 - the output is router configuration, not HTML
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
    )


def template_digest(directory: Path = IOS_TEMPLATES) -> str:
    """Return the sha256 (hex) over every template's path and bytes, in sorted order.

    Raises FileNotFoundError when the directory holds no template: a hash of nothing would approve anything.
    """
    paths = sorted(path for path in directory.rglob("*.j2") if path.is_file())
    if not paths:
        raise FileNotFoundError(f"no IOS templates in {directory.name}")
    digest = hashlib.sha256()
    for path in paths:
        content = path.read_bytes()
        digest.update(f"{path.relative_to(directory).as_posix()}\n{len(content)}\n".encode())
        digest.update(content)
    return digest.hexdigest()


@cache
def shared_ios_environment() -> Environment:
    """The one environment of this process; templates are compiled once."""
    return ios_environment()
