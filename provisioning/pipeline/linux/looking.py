"""A whole look at a Linux router whose policies are kept as text: what it is, what it keeps, what its kernel holds."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any, Final

from provisioning.errors import ParseFailure
from provisioning.pipeline.linux.names import interface
from provisioning.pipeline.linux.reading import FIRST, READ, as_json, read
from provisioning.pipeline.linux.values import DEVICES, LinuxState
from provisioning.pipeline.mqc.interface_names import interface_named

LOCK: Final = "/run/lock/expedite-linux"
POLICIES: Final = "/run/expedite/policies"
"""What runs, as policies: gone after a reboot, as is what the kernel holds."""
SAVED: Final = "/etc/expedite/policies"
LOADER: Final = "/etc/expedite/load.sh"
"""What is loaded at boot: the script, and the policies it comes from."""
BANDWIDTHS: Final = "/etc/expedite/bandwidths"
"""Where an operator says ``NAME BIT/S`` of a link that is slower than its card."""
AT_BOOT: Final = "/etc/expedite/loads-at-boot"
"""Where an operator says that the loader is run at boot by something else than systemd."""
WAIT_S: Final = 15
"""So long a look and a change wait for another one that runs."""

WITH_LOCK: Final = f"""\
mkdir -p {LOCK.rpartition("/")[0]}
exec 9>{LOCK}
"""
DIGESTED: Final = """\
digested() { if [ -e "$1" ]; then sha256sum "$1" | cut -d' ' -f1; else echo none; fi; }
"""
LOOK: Final = f"""\
set -eu
[ "$(id -u)" = 0 ] || {{ echo "not root" >&2; exit 4; }}
for each in nft tc ip flock sha256sum; do
  command -v $each >/dev/null || {{ echo "there is no $each here" >&2; exit 5; }}
done
{WITH_LOCK}flock -s -w {WAIT_S} 9 || {{ echo "another change of this router runs" >&2; exit 3; }}
{DIGESTED}kept() {{ echo "=== $1"; if [ -e "$2" ]; then sed 's/^/|/' "$2"; fi; }}
echo '=== host'
hostname
uname -r
echo "$(cat /etc/machine-id 2>/dev/null || true)"
cut -d. -f1 /proc/uptime
echo '=== address'
ip -j address show
echo '=== speed'
for each in /sys/class/net/*; do echo "${{each##*/}} $(cat "$each/speed" 2>/dev/null || true)"; done
kept bandwidths {BANDWIDTHS}
kept policies {POLICIES}
kept saved {SAVED}
echo '=== digests'
digested {POLICIES}
digested {LOADER}
if [ -d /run/systemd/system ] || [ -e {AT_BOOT} ]; then echo loads; else echo none; fi
"""
_KEPT: Final = ("bandwidths", "policies", "saved")
_PLAIN: Final = ("host", "address", "speed", "digests")


@dataclass(frozen=True, slots=True)
class Link:
    """An interface: as the kernel calls it, whether it is meant to be up and is, its addresses, its rate in bit/s (None: not
    known, as of a card without carrier and without a queue)."""

    name: str
    enabled: bool
    up: bool
    addresses: tuple[str, ...] = ()
    bps: int | None = None


@dataclass(frozen=True)
class Look:
    """One moment of a router. ``links`` by the name that an inventory has (``Ethernet1`` for ``eth1``). ``policies`` and
    ``saved`` are texts; ``policies_digest`` and ``loader_digest`` what the router says of its files (``none``: not there);
    ``loads``: something loads them at boot.
    """

    hostname: str
    kernel: str
    serial: str
    up_s: int
    running: LinuxState
    links: Mapping[str, Link] = field(default_factory=dict)
    policies: str = ""
    saved: str = ""
    policies_digest: str = "none"
    loader_digest: str = "none"
    loads: bool = False
    said: str = field(default="", repr=False)

    def __post_init__(self) -> None:
        """A card without carrier says no rate: its link has that of the queue that stands on it, as it was made for it."""
        last = {name: queue.link_bps for name, queue in self.running.queues.items() if queue.link_bps}
        links = {
            called: replace(link, bps=last.get(link.name)) if link.bps is None else link
            for called, link in self.links.items()
        }
        object.__setattr__(self, "links", links)

    @property
    def release(self) -> str:
        """The kernel's release as an inventory has it: ``6.1`` of ``6.1.0-18-amd64``."""
        return ".".join(self.kernel.split(".")[:2])


def looked(text: str) -> Look:
    """What `LOOK` and `READ` printed, one after the other. Raises ParseFailure where it is not whole."""
    before, found, after = text.replace("\r\n", "\n").partition(f"{FIRST}\n")
    if not found:
        raise ParseFailure("the router's answer ends before it says what it holds")
    parts = _parts(before)
    try:
        hostname, kernel, serial, up_s = parts["host"]
        policies_digest, loader_digest, loads = parts["digests"]
        return Look(
            hostname=hostname,
            kernel=kernel,
            serial=serial,
            up_s=int(up_s),
            running=_mendable(read(found + after)),
            links=_links(as_json("\n".join(parts["address"]), "address"), parts),
            policies=_text(parts["policies"]),
            saved=_text(parts["saved"]),
            policies_digest=policies_digest,
            loader_digest=loader_digest,
            loads=loads == "loads",
            said=found + after,
        )
    except (KeyError, TypeError, ValueError) as error:
        raise ParseFailure(f"the router's answer is not understood: {error!r}") from error


def _mendable(state: LinuxState) -> LinuxState:
    """Without strangers that are part of a policy of ours: that policy is not held then, and putting it back takes them off."""
    return replace(state, strangers=tuple(each for each in state.strangers if each.kind != "rule"))


def _parts(text: str) -> dict[str, list[str]]:
    found: dict[str, list[str]] = {}
    part: list[str] = []
    for line in text.splitlines():
        if line.startswith("=== "):
            part = found.setdefault(line[4:], [])
        else:
            part.append(line)
    missing = {*_KEPT, *_PLAIN} - found.keys()
    if missing:
        raise ParseFailure(f"the router's answer has no part {', '.join(sorted(missing))}")
    return found


def _text(lines: list[str]) -> str:
    return "".join(f"{line.removeprefix('|')}\n" for line in lines)


def _links(listed: list[Any], parts: Mapping[str, list[str]]) -> dict[str, Link]:
    speeds = {name: int(value) * 1_000_000 for name, value in _pairs(parts["speed"]) if int(value) > 0}
    said = {name: int(value) for name, value in _pairs(_text(parts["bandwidths"]).splitlines())}
    found: dict[str, Link] = {}
    for each in listed:
        name = str(each["ifname"])
        if name.startswith(DEVICES):
            continue
        called = [_called(word) for word in (name, *each.get("altnames", ()))]
        inventoried = next((word for word in called if word[:1].isupper()), called[0])
        if inventoried in found:
            raise ParseFailure(f"{name} and {found[inventoried].name} are both called {inventoried}")
        bps = said.get(name, speeds.get(name))
        found[inventoried] = Link(
            interface(name),
            "UP" in each.get("flags", ()),
            "LOWER_UP" in each.get("flags", ()),
            tuple(f"{at['local']}/{at['prefixlen']}" for at in each.get("addr_info", ()) if at.get("scope") != "link"),
            bps,
        )  # fmt: skip
    return found


def _called(word: str) -> str:
    """What an inventory calls an interface: ``Ethernet1`` for ``eth1``."""
    return "Loopback0" if word == "lo" else interface_named(word)


def _pairs(lines: list[str]) -> list[tuple[str, str]]:
    words = [line.split() for line in lines if line.strip() and not line.startswith("#")]
    return [(each[0], each[1]) for each in words if len(each) == 2]


SEEN: Final = LOOK + READ
"""All of it, as one script."""
