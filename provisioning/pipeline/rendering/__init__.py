"""MQC objects -> IOS text, through templates handed in by a service."""

from provisioning.pipeline.rendering.renderer import MqcObject, Renderer

__all__ = ["MqcObject", "Renderer"]
