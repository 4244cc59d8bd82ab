"""Which objects of a plan get an interim copy, read from its lines."""

from __future__ import annotations

from collections.abc import Mapping

from provisioning.pipeline.diff import Remediation

HEADERS = ("ipv6 access-list ", "ip access-list ", "class-map ", "policy-map ")


def meanwhile(found: Remediation, objects: Mapping[str, object]) -> set[str]:
    """The names of `objects` (of the plan's result) as packets meet them meanwhile: NAME-2 for one that has a copy."""
    made = {line.text.split()[-1] for line in found.commands if line.text.startswith(HEADERS)}
    return {f"{name}-2" if f"{name}-2" in made - objects.keys() else name for name in objects}
