"""Which licences the parts are under, and whether each may be: `licences.toml` says."""

from __future__ import annotations

from collections.abc import Iterable

from license_expression import ExpressionError, get_spdx_licensing

from tests.components.parts import Part, rules


def refused(part: Part) -> str:
    """Why a part may not be here; empty where it may. Of `A OR B` one that may be is enough, of `A AND B` each has to be."""
    try:
        parsed = get_spdx_licensing().parse(part.licence, validate=False)
    except ExpressionError as error:
        return f"{part.licence[:80]!r} is no SPDX expression: {error}"
    if parsed is None:
        return "it says no licence"
    allowed = set(rules()["allowed"])
    return "" if _may(parsed, allowed) else f"{part.licence[:80]} is not among the allowed licences"


def _may(parsed: object, allowed: set[str]) -> bool:
    arguments = getattr(parsed, "args", ())
    if not arguments:
        return str(parsed) in allowed
    each = (_may(one, allowed) for one in arguments)
    return (
        any(each) if getattr(parsed, "operator", "") == " OR " or type(parsed).__name__ == "OR" else all(each)
    )


def listed(parts: Iterable[Part]) -> str:
    """A line a part: name, version, licence."""
    rows = [(part.name, part.version or f"(in {part.within})", part.licence) for part in parts]
    widths = [max(len(row[column]) for row in rows) for column in (0, 1)]
    return "\n".join(
        f"{name:{widths[0]}}  {version:{widths[1]}}  {licence}" for name, version, licence in rows
    )
