"""`manage.py demo`: the whole story on practice routers, then the site."""

from __future__ import annotations

import secrets
import signal
import sys
from argparse import ArgumentParser
from collections.abc import Mapping
from pathlib import Path
from types import FrameType
from typing import Any

from django.conf import settings
from django.core.management.base import CommandError

from provisioning.errors import ExpediteError
from provisioning.management.demo.cti import CtiStory
from provisioning.management.demo.enst import EnstStory
from provisioning.management.demo.grnet import GrnetStory
from provisioning.management.demo.house import House, another_port, is_free, open_house
from provisioning.management.demo.irs import IrsStory
from provisioning.management.demo.narration import Narrator
from provisioning.management.demo.sixnet import SixnetStory
from provisioning.management.demo.telling import NOC, Story
from provisioning.management.refusing import BAD_INPUT, RefusingCommand

STORIES: dict[str, type[Story]] = {
    "6net": SixnetStory,
    "grnet": GrnetStory,
    "cti": CtiStory,
    "irs": IrsStory,
    "enst": EnstStory,
}


class Command(RefusingCommand):
    help = (
        "Tell one story from the API to verified routers, on practice routers; then leave the site running."
    )
    # The story runs in a house of its own, with its own database and secrets: none are needed here.
    requires_system_checks: list[str] = []

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("--once", action="store_true", help="exit after the story")
        parser.add_argument("--port", type=int, default=8000, help="of the site (default 8000)")
        parser.add_argument("--scheme", default="6net", choices=sorted(STORIES), help="whose story")

    def handle(self, *_args: Any, once: bool, port: int, scheme: str, **_options: Any) -> None:
        """Exit 0 after the story, 1 with what went otherwise."""
        signal.signal(signal.SIGTERM, interrupted)
        if not 1 <= port <= 65535:
            raise CommandError("--port is between 1 and 65535", returncode=BAD_INPUT)
        tell = Narrator(sys.stdout)
        if once and not is_free(port):  # nobody signs in to a site that ends with the story
            taken, port = port, another_port()
            tell.note(f"Port {taken} is in use; the site of this story is on port {port}.")
        password = secrets.token_urlsafe(12)
        root = Path(settings.BASE_DIR)
        try:
            with open_house(root, root / "var" / "demo" / scheme, port) as house:
                story = STORIES[scheme](house, tell, password)
                story.run()
                tell.end()
                if not once:
                    story.leave_work()
                    sign_ins(house, tell, password, story.users)
                    house.watch()
        except ExpediteError as error:
            raise CommandError(f"The story broke off: {error}") from error
        except KeyboardInterrupt:
            tell.note("Ended; the routers and the site are down.")


def sign_ins(house: House, tell: Narrator, password: str, users: Mapping[str, str]) -> None:
    """Print where the site is and who may sign in."""
    tell.step(f"The site is on {house.url}/ until Ctrl-C")
    for name, does in {**NOC, **{user: f"acts for {nren}" for nren, user in users.items()}}.items():
        tell.note(f"{name:8} {password}   {does}")
    tell.note(f"Commands for this network: EXPEDITE_ENV_FILE={house.env_file} .venv/bin/python manage.py ...")


def interrupted(_signal: int, _frame: FrameType | None) -> None:
    """SIGTERM ends the demo as Ctrl-C does: everything it started is stopped."""
    raise KeyboardInterrupt
