"""What a change of the network does, or would do, as the API says it to those who see everything."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from rest_framework import serializers

from provisioning.pipeline.admission import Overcommitment
from provisioning.pipeline.units import TimeWindow
from provisioning.services.topology import Affected, Moved, Renewal, Said

MOST = 500
"""Rows of one kind in an answer; how many there are in all is said beside them."""


class LoadName(serializers.Serializer[Any]):
    """One direction of one link."""

    link = serializers.CharField()
    direction = serializers.CharField()


class TooMuch(serializers.Serializer[Any]):
    """A stretch in which more is granted on a link than its share, and everybody who is on it then; rates in bit/s."""

    link = serializers.CharField()
    direction = serializers.CharField()
    pool = serializers.CharField()
    granted_bps = serializers.IntegerField()
    share_bps = serializers.IntegerField()
    shortfall_bps = serializers.IntegerField()
    start = serializers.DateTimeField()
    to = serializers.DateTimeField(allow_null=True, help_text="Null: until further notice.")
    requests = serializers.ListField(child=serializers.CharField())


class TooMuchOrMore(TooMuch):
    """The same, and whether the change of the network is what made it so."""

    already = serializers.BooleanField(help_text="It was too much before, in just this stretch.")


class MovedRow(serializers.Serializer[Any]):
    """A request that is charged elsewhere: `leaving` stays charged beside `after` until its move is over."""

    request = serializers.CharField()
    before = LoadName(many=True)
    after = LoadName(many=True)
    leaving = LoadName(many=True)


class RenewalView(serializers.Serializer[Any]):
    """What became of a core link that was declared something, or would become of it. At most 500 rows of each kind are listed."""

    version = serializers.IntegerField(help_text="Of the topology, from then on.")
    changed = serializers.ListField(child=serializers.CharField())
    moved_in_all = serializers.IntegerField()
    moved = MovedRow(many=True)
    without_path_in_all = serializers.IntegerField()
    without_path = serializers.ListField(
        child=serializers.CharField(), help_text="They stay charged where they were."
    )
    too_much_in_all = serializers.IntegerField()
    too_much_by_this_in_all = serializers.IntegerField(help_text="Of these, what was not too much before.")
    too_much = TooMuchOrMore(many=True, help_text="What was not too much before comes first.")


class EffectOfCapacity(serializers.Serializer[Any]):
    """Who does not fit any more by a change of capacity, and who fits again. At most 500 rows of each kind are listed."""

    version = serializers.IntegerField(help_text="Of the topology, from then on.")
    breaks_in_all = serializers.IntegerField()
    breaks = TooMuch(many=True)
    mends_in_all = serializers.IntegerField()
    mends = TooMuch(many=True)


class DetourRow(serializers.Serializer[Any]):
    """A request whose traffic would take other links."""

    request = serializers.CharField()
    start = serializers.DateTimeField()
    to = serializers.DateTimeField(allow_null=True)
    left = LoadName(many=True)
    taken = LoadName(many=True)


class WorkView(serializers.Serializer[Any]):
    """What planned work would do while it lasts. At most 500 rows of each kind are listed."""

    links = serializers.ListField(child=serializers.CharField())
    start = serializers.DateTimeField()
    to = serializers.DateTimeField(allow_null=True)
    affected_in_all = serializers.IntegerField()
    affected = serializers.ListField(child=serializers.CharField())
    moves_in_all = serializers.IntegerField()
    moves = DetourRow(many=True)
    without_path_in_all = serializers.IntegerField()
    without_path = serializers.ListField(child=serializers.CharField())
    too_much_in_all = serializers.IntegerField()
    too_much = TooMuch(many=True)


def renewal_json(renewal: Renewal) -> dict[str, Any]:
    """Return it as `RenewalView` has it."""
    return {
        "version": renewal.version.number,
        "changed": list(renewal.changed),
        **_some("moved", [_moved(each) for each in renewal.moved[:MOST]], renewal.moved),
        **_some("without_path", list(renewal.lost[:MOST]), renewal.lost),
        "too_much_by_this_in_all": len(renewal.over_by_this),
        **_some("too_much", _by_this_first(renewal), renewal.over),
    }


def _by_this_first(renewal: Renewal) -> list[dict[str, Any]]:
    """What the change made too much, then what was before."""
    by_this = [{**row, "already": False} for row in _over(renewal.over_by_this)]
    return [*by_this, *({**row, "already": True} for row in _over(renewal.over_already))][:MOST]


def capacity_json(said: Said) -> dict[str, Any]:
    """Return it as `EffectOfCapacity` has it."""
    return {
        "version": said.renewal.version.number,
        **_some("breaks", _over(said.breaks), said.breaks),
        **_some("mends", _over(said.mends), said.mends),
    }


def work_json(found: Affected) -> dict[str, Any]:
    """Return it as `WorkView` has it."""
    detours = [
        {
            "request": each.request.reference,
            **_window(each.window),
            "left": _loads(each.left),
            "taken": _loads(each.taken),
        }
        for each in found.detours[:MOST]
    ]
    return {
        "links": list(found.links),
        **_window(found.window),
        **_some("affected", list(found.references[:MOST]), found.references),
        **_some("moves", detours, found.detours),
        **_some("without_path", [each.reference for each in found.cut[:MOST]], found.cut),
        **_some("too_much", _over(found.over), found.over),
    }


def _some(name: str, rows: list[Any], every: Sequence[object]) -> dict[str, Any]:
    return {f"{name}_in_all": len(every), name: rows}


def _moved(moved: Moved) -> dict[str, Any]:
    return {
        "request": moved.request.reference,
        "before": _loads(moved.before),
        "after": _loads(moved.after),
        "leaving": _loads(moved.leaving),
    }


def _loads(loads: Iterable[tuple[str, str]]) -> list[dict[str, str]]:
    return [{"link": link, "direction": way} for link, way in sorted(loads)]


def _over(every: Sequence[Overcommitment]) -> list[dict[str, Any]]:
    return [
        {
            "link": each.link,
            "direction": each.direction.value,
            "pool": each.pool,
            "granted_bps": each.granted_bps,
            "share_bps": each.share_bps,
            "shortfall_bps": each.excess_bps,
            **_window(TimeWindow(each.start, each.end)),
            "requests": list(each.sls_ids),
        }
        for each in every[:MOST]
    ]


def _window(window: TimeWindow) -> dict[str, str | None]:
    return {
        "start": window.start.isoformat(),
        "to": None if window.end is None else window.end.isoformat(),
    }
