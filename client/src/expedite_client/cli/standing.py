"""How a router stands against what is intended, in lines."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from expedite_client.cli.text import as_it_is, facts, hanging, instant, one_line, parts
from expedite_client.values.network import Standing


def standing(row: Standing) -> str:
    """Return what one reading showed: the state, what differs line by line, and what else was found."""
    detail: Mapping[str, Any] = row["detail"] if isinstance(row["detail"], dict) else {}
    read = facts([("read", instant(row["checked_at"], none="never"))])
    reason = hanging([("reason", detail.get("reason"))], indent=2)
    head = "\n".join(part for part in (f"{one_line(row['router'])}  {row['state']}", read, reason) if part)
    beside = [
        *(("equal today", _member(each, "text")) for each in _listed(detail, "equal_today")),
        *(("at risk", each) for each in _listed(detail, "at_risk")),
        *(("open edge", f"{each['interface']}: {each['reason']}") for each in row["open_edges"]),
    ]
    differs = "\n".join(line for item in _listed(detail, "items") for line in _differs(item))
    return parts(head, differs, facts(beside))


def _listed(detail: Mapping[str, Any], name: str) -> list[Any]:
    found = detail.get(name)
    return found if isinstance(found, list) else []


def _member(value: Any, name: str) -> Any:
    return value.get(name) if isinstance(value, dict) else value


def _differs(item: Any) -> list[str]:
    if not isinstance(item, dict):
        return [f"  {as_it_is(item)}"]
    lines = [f"  {as_it_is(item.get('object'))}"]
    for name, text in (("wanted", item.get("expected")), ("found ", item.get("found"))):
        lines += [f"    {name}  {as_it_is(line)}" for line in str(text or "nothing").splitlines()]
    return lines
