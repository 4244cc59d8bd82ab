"""The story of ENST: one AF class with three drop precedences, and the video's colours kept as its server set them."""

from __future__ import annotations

from provisioning.management.demo.telling import Story

FRIC, FLOUZE = "FRIC@monnaie:FastEthernet2/0", "FLOUZE@franc:FastEthernet2/0"
OWN, THEIRS = "2001:db8:e010:1::/64", "2001:db8:e020:1::/64"


class EnstStory(Story):
    """A source, a bottleneck of 1 Mbit/s, a sink."""

    network = "enst"
    routers_told = "both"
    users = {"FRIC": "julio"}
    baseline_reason = "RIO as in table 8"
    why_asked = "DiffServ-aware streaming, section 5.1"

    def run(self) -> None:
        """Every chapter, in order."""
        self.import_network()
        self.practice_routers()
        self.people()
        self.baseline()
        video = self.video()
        self.second_video()
        self.tell.step("It is withdrawn: the video is background, and red, again")
        self._withdraw("FRIC", video)
        self._all_back()

    def video(self) -> str:
        self.tell.step("hipo.mpg at 650 kbit/s (section 5.1.3.1): I green, P yellow, B red")
        request = self._ask("FRIC", FRIC, FLOUZE, 650_000, OWN, THEIRS, service_class="video")
        self._admit(request)
        self._put_on("FRIC", request, says="RIO keeps an average queue per colour")
        return request

    def second_video(self) -> None:
        self.tell.step("A second one does not fit: the bottleneck is 1 Mbit/s")
        request = self._ask("FRIC", FRIC, FLOUZE, 351_000, OWN, THEIRS, service_class="video")
        self._does_not_fit(request, "1 kbit/s too much")
