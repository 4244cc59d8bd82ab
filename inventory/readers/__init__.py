"""Readers: a description of a network from outside -> frozen entries. Nothing here writes a row."""

from inventory.readers.entries import NetworkFile
from inventory.readers.errors import NetworkFileError
from inventory.readers.network_yaml import read_network, read_network_text

__all__ = ["NetworkFile", "NetworkFileError", "read_network", "read_network_text"]
