"""The pack for a Linux router: nftables marks and classifies, tc shapes; a shell script that also undoes it.

One HTB at the root of the uplink, one class of it for each request, nothing else shaped. tc takes bytes, and is told to
count them without the header of the uplink (`stab overhead`, tc-stab(8)), so that its rate is the granted one.
"""

from __future__ import annotations

from ipaddress import IPv4Network, IPv6Network, collapse_addresses
from typing import Any, Final

from jinja2 import Environment

from provisioning.pipeline.packs.shaping import LinuxShaper, linux_shaper, why_no_shaper
from provisioning.pipeline.packs.values import Kind, Pack, PackOrder, linux_interface, notes
from provisioning.pipeline.units import rate_text

_MOST_CLASSES: Final = 0xFFFE


def linux_pack(order: PackOrder, templates: Environment, *, uplink: str | None = None) -> Pack:
    """The pack; `uplink` is the interface towards the backbone, None leaves it to whoever runs the script.

    Raises InvalidInput naming ``uplink`` for a name that is none.
    """
    named = "" if uplink is None else linux_interface(uplink)
    filename = f"{order.name.lower()}.sh"
    minor = (order.number - 1) % _MOST_CLASSES + 1
    shaper = linux_shaper(order)
    told = (_shaped(order, shaper), *notes(order), *([] if shaper is None else _ABOUT_SHAPING), *_ABOUT_LINUX)
    text = templates.get_template("linux.sh.j2").render(
        heading=order.heading,
        filename=filename,
        notes=told,
        uplink=named,
        table=f"expedite_pip_{order.number}",
        minor=f"{minor:x}",
        shaper=shaper,
        # Only what its siblings get in turn; the kernel warns of larger ones.
        quantum_bytes=0 if shaper is None else min(max(shaper.burst_bytes, 1500), 60_000),
        dscp=order.dscp if order.sets_dscp else None,
        matches=_matches(order),
    )
    return Pack(Kind.LINUX, filename, text, (f"sh {filename} down {named or 'UPLINK'}",), told)


_ABOUT_SHAPING: Final = (
    "The root of the uplink becomes an HTB: what is not Premium passes it unshaped. If the uplink has a qdisc of "
    "your own at its root, the script stops and changes nothing.",
    "TCP segments that a network card has put together (GRO) pass a shaper whole, as one burst: turn it off where "
    "the traffic comes in (ethtool -K INTERFACE gro off) when the traffic is TCP.",
)
_ABOUT_LINUX: Final = (
    "Nothing of it survives a reboot, and its marks do not survive `nft flush ruleset`, which many firewalls begin with: run it "
    "again after either. `check` says with its exit status whether all of it is on.",
)


def _shaped(order: PackOrder, shaper: LinuxShaper | None) -> str:
    """What is shaped and how, or why nothing is."""
    if shaper is None:
        return why_no_shaper(order) or ""
    return (
        f"Shaped to the granted {rate_text(order.sls.rate.bps)}, counted at layer 3, {shaper.burst_bytes} bytes and a packet at "
        f"once, which the backbone's policer passes. What conforms is never dropped and waits {shaper.wait_ms} ms at most."
    )


def _matches(order: PackOrder) -> list[dict[str, Any]]:
    """One rule for each IP version: sets of prefixes that do not overlap, as nftables wants them."""
    found = []
    for version, word in ((6, "ip6"), (4, "ip")):
        sources = _of_version(order.sls.source_prefixes, version)
        if not sources:  # an NREN's own prefixes are never everything
            continue
        found.append(
            {
                "word": word,
                "sources": sources,
                "destinations": _of_version(order.sls.destination_prefixes, version),
                "label": order.sls.flow_label if version == 6 else None,
            }
        )
    return found


def _of_version(prefixes: tuple[IPv4Network | IPv6Network, ...], version: int) -> list[str]:
    """The prefixes of that version without those within others; none when one of them is everything."""
    kept: list[IPv4Network | IPv6Network] = []
    if version == 6:
        kept += collapse_addresses(each for each in prefixes if isinstance(each, IPv6Network))
    else:
        kept += collapse_addresses(each for each in prefixes if isinstance(each, IPv4Network))
    return [] if any(each.prefixlen == 0 for each in kept) else [str(each) for each in kept]
