"""What differs between two states of a network that a path or a share can follow from, said link by link."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import fields

from provisioning.pipeline.topology.values import LinkValue, Network, RouterValue
from provisioning.pipeline.units import rate_text


def changes(before: Network, after: Network) -> tuple[str, ...]:
    """One sentence for each link or router that is new, gone or different, links first, by name, and for each planned change of a
    capacity.
    """
    links = _differences({link.id: link for link in before.links}, {link.id: link for link in after.links})
    routers = _differences(
        {router.name: router for router in before.routers}, {router.name: router for router in after.routers}
    )
    planned = (
        *(f"no more: {each}" for each in before.planned if each not in after.planned),
        *(str(each) for each in after.planned if each not in before.planned),
    )
    return (*links, *routers, *planned)


_Thing = LinkValue | RouterValue
_SILENT = frozenset({"interfaces"})


def _differences(before: dict[str, _Thing], after: dict[str, _Thing]) -> Iterator[str]:
    for name in sorted(before.keys() | after.keys()):
        old, new = before.get(name), after.get(name)
        if old is None:
            yield f"{name} is new"
        elif new is None:
            yield f"{name} is gone"
        elif type(old) is not type(new):
            yield f"{name} is another kind of link"
        elif old != new:
            said = [
                _difference(field.name, getattr(old, field.name), getattr(new, field.name))
                for field in fields(new)
                if field.name not in _SILENT and getattr(old, field.name) != getattr(new, field.name)
            ]
            if said:
                yield f"{name}: {', '.join(said)}"


def _difference(name: str, old: object, new: object) -> str:
    """``is down``, ``metric 10 -> 30``, ``usable 100 Mbit/s -> 40 Mbit/s``."""
    if name == "down":
        return "is down" if new else "is up"
    if name.endswith("_bps"):
        return f"{name.removesuffix('_bps').replace('_', ' ')} {rate_text(int(str(old)))} -> {rate_text(int(str(new)))}"
    return f"{name.replace('_', ' ')} {old} -> {new}"
