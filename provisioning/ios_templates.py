"""The IOS templates as a Jinja environment: the pipeline reads no files, and is handed the environment made here."""

from __future__ import annotations

from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from jinja2 import Environment

IOS_TEMPLATES = Path(__file__).resolve().parents[1] / "templates" / "ios"


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


@cache
def shared_ios_environment() -> Environment:
    """The one environment of this process; templates are compiled once."""
    return ios_environment()
