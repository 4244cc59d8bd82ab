"""The names that hand-configured routers kept when they were adopted, as intent takes them."""

from __future__ import annotations

from collections.abc import Collection

from provisioning.errors import InvalidInput
from provisioning.models import AdoptedName
from provisioning.pipeline import ios
from provisioning.pipeline.intent import AdoptedObject
from provisioning.pipeline.mqc.referring import ACCESS_LIST, CLASS_MAP, MqcObject


def adopted_objects(routers: Collection[str] | None = None) -> dict[str, tuple[AdoptedObject, ...]]:
    """Return what each router (or each of these) adopted, by the router's name; routers that kept the scheme's names are
    not in it.
    """
    found: dict[str, list[AdoptedObject]] = {}
    rows = AdoptedName.objects.filter(router__retired_at=None).select_related("router").order_by("pk")
    for row in rows if routers is None else rows.filter(router__name__in=routers):
        found.setdefault(row.router.name, []).append(
            AdoptedObject(row.kind, row.base, row.name, row.link, row.stands_for, _form(row))
        )
    return {name: tuple(entries) for name, entries in found.items()}


def _form(row: AdoptedName) -> MqcObject | None:
    """The object in the router's words; None where they can no longer be read: then a plan shows the scheme's."""
    if not row.form:
        return None
    try:
        config = ios.parse_fragment(row.form)
    except InvalidInput:
        return None
    if row.kind == ACCESS_LIST:
        return config.access_lists.get(row.name)
    return config.class_maps.get(row.name) if row.kind == CLASS_MAP else config.policy_maps.get(row.name)
