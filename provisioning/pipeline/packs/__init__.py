"""A request -> what the NREN configures on its own side: marker and shaper, for Cisco IOS and for Linux."""

from provisioning.pipeline.packs.edges import Edge, Excess, edge_of
from provisioning.pipeline.packs.ios_pack import ios_pack
from provisioning.pipeline.packs.linux_pack import linux_pack
from provisioning.pipeline.packs.shaping import IosShaper, LinuxShaper, ios_shaper, linux_shaper
from provisioning.pipeline.packs.values import Kind, Pack, PackOrder, notes

__all__ = [
    "Edge",
    "Excess",
    "IosShaper",
    "Kind",
    "LinuxShaper",
    "Pack",
    "PackOrder",
    "edge_of",
    "ios_pack",
    "ios_shaper",
    "linux_pack",
    "linux_shaper",
    "notes",
]
