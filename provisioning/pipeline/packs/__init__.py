"""A request -> what the NREN configures on its own side: marker and shaper, for Cisco IOS and for Linux."""

from provisioning.pipeline.packs.ios_pack import ios_pack
from provisioning.pipeline.packs.linux_pack import linux_pack
from provisioning.pipeline.packs.values import Kind, Pack, PackOrder, notes

__all__ = ["Kind", "Pack", "PackOrder", "ios_pack", "linux_pack", "notes"]
