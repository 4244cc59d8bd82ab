"""One look at a router, from a file or over SSH: text, model and the BW of its interfaces."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from inventory.models import Router
from provisioning.errors import InvalidInput, ParseFailure
from provisioning.pipeline import ios
from provisioning.pipeline.adoption import RouterText, read_text
from provisioning.pipeline.mqc import RunningConfig
from provisioning.pipeline.platforms import profile
from provisioning.services import verifying
from provisioning.services.reading import Unread


@dataclass(frozen=True)
class Look:
    """What one router showed. `live` is False for a file: it says what the router held when somebody saved it."""

    source: str
    config: RunningConfig
    shown: RouterText
    bandwidths: Mapping[str, int]
    live: bool

    @property
    def router(self) -> str:
        return self.shown.name


def looks_from_texts(texts: Iterable[tuple[str, str]]) -> tuple[list[Look], list[InvalidInput]]:
    """Parse (source, text) pairs; those that are no whole configuration of a router come back as refusals, by source.

    Of two texts of one router neither is taken: which of them is it?
    """
    found: dict[str, Look] = {}
    twice: set[str] = set()
    refused = []
    for source, text in texts:
        try:
            look = _look_from_text(source, text)
        except InvalidInput as error:
            refused.append(error)
            continue
        first = found.setdefault(look.router, look)
        if first is not look:
            twice.add(look.router)
            refused.append(
                InvalidInput(f"{look.router} is already in {first.source}: neither is taken", field=source)
            )
    return [look for look in found.values() if look.router not in twice], refused


def _look_from_text(source: str, text: str) -> Look:
    try:
        config = ios.parse(text)
    except ParseFailure as error:
        raise InvalidInput(str(error), field=source) from error
    if not config.whole:
        raise InvalidInput("not a whole running-config: what is absent may only be cut off", field=source)
    look = _look(source, text, config, {})
    if not look.router:
        raise InvalidInput("it has no hostname: whose configuration is it?", field=source)
    return look


def looks_from_routers(names: Sequence[str] | None) -> tuple[list[Look], list[Unread]]:
    """Read these routers of the inventory (None: all) over SSH, side by side; what could not be read, and why.

    Raises InvalidInput for a name the inventory does not have.
    """
    rows = {router.name: router for router in Router.objects.order_by("name")}
    unknown = [name for name in names or () if name not in rows]
    if unknown:
        raise InvalidInput(f"there is no router {unknown[0]!r:.80}", field="router")
    readings = verifying.read_routers([rows[name] for name in names or rows])
    looks, unread = [], []
    for name, reading in sorted(readings.items()):
        if isinstance(reading, Unread):
            unread.append(reading)
        else:
            look = _look("SSH", reading.text, reading.config, reading.bandwidths, name=name)
            looks.append(look)
    return looks, unread


def look_from_snapshot(name: str) -> Look | None:
    """What this router of the inventory showed when it was last read, without asking it; None where it never was.

    Raises InvalidInput for a name the inventory does not have.
    """
    router = Router.objects.filter(name=name).first()
    if router is None:
        raise InvalidInput(f"there is no router {name!r:.80}", field="router")
    snapshot = router.snapshots.order_by("-pk").first()
    if snapshot is None:
        return None
    config = ios.parse(snapshot.text, profile(router.platform, router.ios))
    return _look("its last reading", snapshot.text, config, snapshot.bandwidths, name=name)


def _look(
    source: str, text: str, config: RunningConfig, bandwidths: Mapping[str, int], name: str = ""
) -> Look:
    shown = read_text(text, config, name)
    if name and shown.name != name:
        shown = RouterText(name, shown.platform, shown.release, shown.engines, shown.interfaces, shown.unsure)
    assumed = {each.name: each.bw_bps for each in shown.interfaces if each.bw_bps and not each.assumed}
    return Look(source, config, shown, bandwidths or assumed, live=bool(name))
