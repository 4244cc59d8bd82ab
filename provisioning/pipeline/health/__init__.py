"""How a router fares besides its configuration, read before the first line and after the last, and what became worse."""

from provisioning.pipeline.health.asking import Asked, asked
from provisioning.pipeline.health.comparing import Worse, worsened
from provisioning.pipeline.health.values import Cpu, Health, Neighbour

__all__ = ["Asked", "Cpu", "Health", "Neighbour", "Worse", "asked", "worsened"]
