"""YAML text -> plain lists, mappings and scalars, each place known by its path; nothing clever gets through.

Refused with file, path and reason: more than 8 MiB, text that is not UTF-8, anchors and aliases (a "billion
laughs" needs them), tags, keys given twice, keys that are not plain scalars, more than one document, nesting
beyond 12. Only ``true`` and ``false`` are booleans, so that ``country: no`` stays Norway, and ``1:30`` is
not ninety.
"""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import yaml

from inventory.readers.errors import NetworkFileError

LARGEST_FILE_BYTES = 8 * 1024 * 1024
LARGEST_SENT = 200_000
"""Characters of a text, bytes of a file, that the page and the API take: what a form may hold (`DATA_UPLOAD_MAX_MEMORY_SIZE`),
with room for what is around it."""
DEEPEST_NESTING = 12

Plain = dict[Any, Any] | list[Any] | str | int | float | bool | None

_PREFIX = "tag:yaml.org,2002:"


class _Loader(getattr(yaml, "CSafeLoader", yaml.SafeLoader)):  # type: ignore[misc]  # libyaml where it is there
    """A safe loader whose plain scalars are null, true/false, decimal numbers or text, and nothing else."""

    yaml_implicit_resolvers: dict[str, Any] = {}


_Loader.add_implicit_resolver(_PREFIX + "bool", re.compile(r"^(?:true|false)$"), list("tf"))
_Loader.add_implicit_resolver(_PREFIX + "null", re.compile(r"^(?:~|null|)$"), ["~", "n", ""])
_Loader.add_implicit_resolver(_PREFIX + "int", re.compile(r"^[-+]?(?:0|[1-9][0-9_]*)$"), list("-+0123456789"))
_Loader.add_implicit_resolver(_PREFIX + "float", re.compile(r"^[-+]?[0-9]+\.[0-9]+$"), list("-+0123456789"))


def read_yaml(path: Path, lines: dict[str, int] | None = None) -> Plain:
    """Return the content of the YAML file at `path`; `lines` is filled with the line of each place in it.

    Raises:
        NetworkFileError: the file cannot be opened, is too large or is not plain YAML (see the module).
    """
    try:
        with path.open("rb") as stream:
            raw = stream.read(LARGEST_FILE_BYTES + 1)
    except OSError as error:
        raise NetworkFileError(str(path), "", f"cannot be read: {error.strerror}") from error
    return parse_yaml(raw, source=str(path), lines=lines)


def parse_yaml(raw: bytes, *, source: str, lines: dict[str, int] | None = None) -> Plain:
    """Return the content of YAML text; `source` is the name that errors carry, `lines` is filled with the line of each place.

    Raises:
        NetworkFileError: see the module.
    """
    if len(raw) > LARGEST_FILE_BYTES:
        raise NetworkFileError(source, "", f"is larger than {LARGEST_FILE_BYTES} bytes")
    try:
        text = raw.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise NetworkFileError(source, "", f"is not UTF-8 text (byte {error.start})") from error
    try:
        _refuse_tricks(text, source)
        node = yaml.compose(text, Loader=_Loader)
    except yaml.MarkedYAMLError as error:
        line = error.problem_mark.line + 1 if error.problem_mark else 0
        raise NetworkFileError(source, "", f"line {line}: is not YAML: {error.problem}") from error
    except yaml.YAMLError as error:
        raise NetworkFileError(source, "", f"is not YAML: {str(error).splitlines()[0]}") from error
    if node is None:
        raise NetworkFileError(source, "", "is empty")
    return _plain(node, source, "", {} if lines is None else lines)


def _refuse_tricks(text: str, source: str) -> None:
    """Walk the events, before anything is built, for what could make a small file a large one."""
    depth = 0
    for event in yaml.parse(text, Loader=_Loader):
        line = event.start_mark.line + 1 if event.start_mark else 0
        if isinstance(event, yaml.AliasEvent) or getattr(event, "anchor", None):
            raise NetworkFileError(source, "", f"line {line}: anchors and aliases are refused")
        tag = getattr(event, "tag", None)
        if tag is not None and tag != "!":
            raise NetworkFileError(source, "", f"line {line}: tags are refused ({tag})")
        if isinstance(event, yaml.MappingStartEvent | yaml.SequenceStartEvent):
            depth += 1
            if depth > DEEPEST_NESTING:
                raise NetworkFileError(source, "", f"line {line}: is nested deeper than {DEEPEST_NESTING}")
        elif isinstance(event, yaml.MappingEndEvent | yaml.SequenceEndEvent):
            depth -= 1


def _plain(node: yaml.Node, source: str, path: str, lines: dict[str, int]) -> Plain:
    lines[path] = node.start_mark.line + 1
    if isinstance(node, yaml.MappingNode):
        mapping: dict[Any, Any] = {}
        for key_node, value_node in node.value:
            line = key_node.start_mark.line + 1
            if not isinstance(key_node, yaml.ScalarNode):
                raise NetworkFileError(source, path, f"line {line}: a key must be a plain word")
            key = _scalar(key_node, source, path)
            word = str(key) if str(key).isprintable() and len(str(key)) <= 60 else repr(str(key)[:60])
            inner = f"{path}.{word}" if path else word
            if key in mapping:
                raise NetworkFileError(source, inner, f"line {line}: the key is given twice")
            mapping[key] = _plain(value_node, source, inner, lines)
        return mapping
    if isinstance(node, yaml.SequenceNode):
        return [_plain(item, source, f"{path}[{index}]", lines) for index, item in enumerate(node.value)]
    return _scalar(node, source, path)


def _scalar(node: yaml.Node, source: str, path: str) -> str | int | float | bool | None:
    text = str(node.value)
    match node.tag.removeprefix(_PREFIX):
        case "str" | "!":
            return text
        case "int":
            if len(text) > 30:
                raise NetworkFileError(source, path, "is a number of more than 30 digits")
            return int(text)
        case "float":
            return float(text)
        case "bool":
            return text == "true"
        case "null":
            return None
        case other:
            raise NetworkFileError(source, path, f"has a type that is not read here: {other}")
