"""6NET on every platform: what is rendered, what is sent to an empty router, and what that router then shows.

A folder per platform under ``platforms``: ``case.yaml`` names the kind of router (and the engine of its cards),
``rendered.ios`` is the rendered intent, ``plan.ios`` the lines from nothing to there, ``running.ios`` the QoS of the
router's own ``show running-config`` afterwards. ``GOLDEN_UPDATE=1`` writes them anew.
"""

from __future__ import annotations

import os
import re
from pathlib import Path

import pytest
import yaml

from lab.device import Device
from lab.spec import RouterSpec
from provisioning.pipeline import ios
from provisioning.pipeline.change.refusals import findings
from provisioning.pipeline.diff import Owned, as_text, diff
from provisioning.pipeline.mqc import RunningConfig
from provisioning.pipeline.rendering import Renderer
from provisioning.selectors.templates import ios_environment
from tests.pipeline.practice import BANDWIDTHS, PLATFORMS, PORTS, profile_of
from tests.pipeline.worlds import World

FOLDERS = sorted(path.parent for path in (Path(__file__).parent / "platforms").glob("*/case.yaml"))
RENDERER = Renderer(ios_environment())
# Both families, so that the filtered link has an access list of each; the scheme's core policy; all three cases.
SIXNET = World(
    cases=(("ALPHA", "trusted", True), ("BETA", "filtered", False), ("GAMMA", "non-participant", True)),
    reservations=(
        ("BETA", "2001:db8:b::/48", "2001:db8:f::/48", None, 1_000_000),
        ("BETA", "192.0.2.0/25", "198.51.100.0/25", None, 500_000),
    ),
)
VOLATILE = re.compile(r"ntp |Building|Current|!|$")


def _case(folder: Path) -> tuple[str, str]:
    data = yaml.safe_load((folder / "case.yaml").read_text(encoding="utf-8"))
    return data["kind"], data["engine"]


def _router(kind: str, engine: str) -> Device:
    platform, release = PLATFORMS[kind]
    engines = dict.fromkeys(("1", "2", "3", "5"), engine) if engine else {}
    spec = {
        "name": "r1",
        "platform": platform,
        "ios": release,
        "password": "pw",
        "engines": engines,
        "interfaces": PORTS,
    }
    return Device(RouterSpec.from_dict(spec), clock=lambda: 1_104_537_600.0)


def _type(router: Device, text: str) -> list[tuple[str, str]]:
    """Type the lines; (line, reply) of whatever was answered, a line card's late refusal included."""
    session = router.open_session(privilege=15)
    session.execute("configure terminal")
    answered = []
    for line in text.splitlines():
        reply = session.execute(line).strip()
        late = [said for said in session.asynchronous() if said.startswith("SLOT")]
        answered += [(line, said) for said in (reply, *late) if said]
    session.close()
    return answered


def _shown(router: Device) -> str:
    """The QoS of ``show running-config``: everything but what identifies the box and its management."""
    kept, taken = [], False
    for line in router.running_config().split("\nbanner ")[0].splitlines():
        if not line.startswith(" ") or re.match(r" (?:class|policy)-map ", line):
            taken = bool(
                re.match(r" ?(?:class-map|policy-map|interface|ip access-list|ipv6 access-list) ", line)
            )
        if taken and not VOLATILE.match(line):
            kept.append(line)
    return "\n".join(kept) + "\n"


def _hold(path: Path, text: str) -> None:
    if os.environ.get("GOLDEN_UPDATE") == "1":
        path.write_text(text, encoding="utf-8")
    assert path.read_text(encoding="utf-8") == text, f"{path.parent.name}/{path.name} is not what is made now"


def test_every_platform_has_a_folder() -> None:
    assert [folder.name for folder in FOLDERS] == [
        "12000-e3", "12000-e5", "7200-12.2t", "7200-12.4t", "7200-15.x-hqf", "asr1000-xe", "isr4000-xe",
    ]  # fmt: skip


@pytest.mark.parametrize("folder", FOLDERS, ids=lambda folder: folder.name)
def test_6net_is_rendered_sent_and_shown_as_this_platform_does(folder: Path) -> None:
    kind, engine = _case(folder)
    profile, router = profile_of(kind), _router(kind, engine)
    wanted = SIXNET.intent(kind)
    rendered = RENDERER.document(wanted.objects(), profile)
    _hold(folder / "rendered.ios", rendered)
    read = ios.parse_fragment(rendered)
    assert tuple(read.class_maps.values()) == wanted.class_maps
    assert tuple(read.policy_maps.values()) == wanted.policy_maps
    assert tuple(read.access_lists.values()) == wanted.access_lists

    empty = ios.parse(router.running_config(), profile)
    found = diff(empty, wanted, Owned(), RENDERER, profile)
    assert found.conflicts == ()
    _hold(folder / "plan.ios", as_text(found.commands))
    engines = dict.fromkeys(BANDWIDTHS, engine) if engine else {}
    assert list(findings(empty, found.result, profile, BANDWIDTHS, engines)) == []

    assert _type(router, as_text(found.commands)) == []
    _hold(folder / "running.ios", _shown(router))
    held: RunningConfig = ios.parse(router.running_config(), profile)
    assert held == found.result
    assert diff(held, wanted, Owned(found.owned_after), RENDERER, profile).empty
    assert _type(router, as_text(found.rollback)) == []
    assert ios.parse(router.running_config(), profile) == empty
