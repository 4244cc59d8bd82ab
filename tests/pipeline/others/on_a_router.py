"""A practice router as NAPALM's IOS driver sees it through netmiko: the commands it sends, answered by the router's engine.

Only the file system is ours: `dir`, `more` and the two `copy` of the driver. Everything else is executed.
"""

from __future__ import annotations

from typing import Any

from napalm.ios.ios import IOSDriver

from tests.pipeline.practice import KINDS, Oracle

DISK = "disk0:"


class Wire:
    """What netmiko's connection is to the driver; `said` is what went over it."""

    def __init__(self, router: Oracle, files: dict[str, str]) -> None:
        self.router = router
        self.files = files
        self.said: list[tuple[str, str]] = []
        self._session = router.device.open_session(privilege=15)

    def send_command(self, command: str, **_: Any) -> str:
        answer = self._answer(command)
        self.said.append((command, answer.strip("\n")))
        return answer

    def _answer(self, command: str) -> str:
        verb, *words = command.split()
        if verb == "dir":
            return (
                f"Directory of {words[0]}\n" if words[0] in self.files else "%Error opening (No such file)\n"
            )
        if verb == "more":
            return self.files[words[0]]
        if command == f"copy running-config {DISK}/rollback_config.txt":
            self.files[words[1]] = self.router.text()
            return "copied\n"
        if verb == "copy":  # a file is read in configuration mode, to its end, whatever is refused
            lines = self.files[words[0]].splitlines()
            return "".join(f"{reply}\n" for _, reply in self.router.send(lines)) + "copied\n"
        return self._session.execute(command)

    def find_prompt(self) -> str:
        return "r1#"

    def set_base_prompt(self) -> None:
        return None

    def send_config_set(self, commands: list[str]) -> str:
        return ""

    def save_config(self) -> str:
        return self.send_command("write memory")


def driver(kind: str, load: str, merge: str) -> tuple[IOSDriver, Wire]:
    """NAPALM's driver connected to a router that holds `load`, with `merge` loaded as its merge candidate."""
    assert kind in KINDS
    wire = Wire(Oracle(kind, load), {f"{DISK}/merge_config.txt": merge})
    napalm = IOSDriver("r1", "noc", "", optional_args={"dest_file_system": DISK})
    napalm.device = wire
    napalm.config_replace = False
    return napalm, wire


def transcript(wire: Wire) -> str:
    """What was sent and answered, as a person would have seen it."""
    return "".join(
        f"r1#{command}\n{answer}\n" if answer else f"r1#{command}\n" for command, answer in wire.said
    )
