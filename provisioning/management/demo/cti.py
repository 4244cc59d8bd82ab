"""The story of CTI: marked by an access list, policed by nothing, served by a low latency queue; and said so."""

from __future__ import annotations

from provisioning.management.demo.house import DoorFailed
from provisioning.management.demo.telling import Story

CAMERAS, VIEWERS = "CAMERAS@cti7206:FastEthernet2/0", "VIEWERS@cti3600:FastEthernet2/0"
OWN, SECOND, THEIRS = "2001:db8:c101:1::/64", "2001:db8:c101:2::/64", "2001:db8:c102:1::/64"


class CtiStory(Story):
    """Two routers and a link of 10 Mbit/s, one before and one with HQF."""

    network = "cti"
    routers_told = "both"
    users = {"CAMERAS": "kostas"}
    baseline_reason = "LLQ and WRED of section 4.4.1"
    why_asked = "H.323 over IPv6, section 4.3"

    def run(self) -> None:
        """Every chapter, in order."""
        self.import_network()
        self.practice_routers()
        self.people()
        self.baseline()
        small = self.eight_hundred_kilobits()
        more = self.above_a_megabit()
        self.tell.step("Both are withdrawn")
        for request in (more, small):
            self._withdraw("CAMERAS", request)
        self._all_back()

    def eight_hundred_kilobits(self) -> str:
        self.tell.step("800 kbit/s of H.323: 20 % of the 8.8 Mbit/s that fill the link (table I)")
        request = self._ask_foreground(800_000)
        self._admit(request)
        self.tell.step("Its plan says that nothing polices at the input: an exception of this scheme")
        self._put_on("CAMERAS", request, says="premium-unpoliced")
        return request

    def above_a_megabit(self) -> str:
        self.tell.step(
            "400 kbit/s more are above 1 Mbit/s together: warned with table IV and figure 8, not refused"
        )
        request = self._ask_foreground(400_000, SECOND)
        said = self._typed("admit", request, "--as", "boris", "--reason", "warned")
        self.tell.said(said)
        if "CTI table IV and figure 8" not in said:
            raise DoorFailed("nobody was warned above 1 Mbit/s")
        self._put_on("CAMERAS", request)
        self.tell.step("1 Mbit/s more is beyond the queue: 1.76 Mbit/s are 20 % of 8.8")
        beyond = self._ask_foreground(1_000_000)
        self._does_not_fit(beyond, "the share is 1.76 Mbit/s")
        return request

    def _ask_foreground(self, rate: int, own: str = OWN) -> str:
        return self._ask("CAMERAS", CAMERAS, VIEWERS, rate, own, THEIRS, service_class="foreground")
