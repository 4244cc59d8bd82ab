"""Netmiko's end of a wire: the paramiko channel of its session."""

from __future__ import annotations

import codecs

import paramiko

from provisioning.drivers.wire import WireError


class ChannelWire:
    """A paramiko channel, read by blocking on it rather than by Netmiko's polling loop.

    Netmiko's ``read_channel`` cannot tell a closed channel from a silent one (it asks ``recv_ready`` and
    returns an empty text for both) and writes every byte, secrets included, to its debug log. This one does
    neither.
    """

    def __init__(self, channel: paramiko.Channel, *, write_seconds: float) -> None:
        self._channel = channel
        self._write_seconds = write_seconds
        self._decoder = codecs.getincrementaldecoder("utf-8")("replace")

    @property
    def waiting(self) -> bool:
        """True when something has come that nobody has read."""
        return bool(self._channel.recv_ready())

    def write(self, text: str) -> None:
        """One ``sendall``; a peer that stops reading is a closed wire after ``write_seconds``."""
        try:
            self._channel.settimeout(self._write_seconds)
            self._channel.sendall(text.encode("utf-8"))
        except (OSError, EOFError, paramiko.SSHException) as error:
            raise WireError(f"writing failed: {error or type(error).__name__}") from error

    def read(self, seconds: float) -> str:
        """Up to 64 KiB as soon as they are there."""
        try:
            self._channel.settimeout(max(seconds, 0.001))
            data = self._channel.recv(65536)
        except TimeoutError:
            return ""
        except (OSError, EOFError, paramiko.SSHException) as error:
            raise WireError(f"reading failed: {error or type(error).__name__}") from error
        if not data:
            raise WireError("the router closed the session")
        return self._decoder.decode(data)

    def close(self) -> None:
        """Close the channel; closing twice is nothing."""
        self._channel.close()
