"""`manage.py mqc parse FILE` and `manage.py mqc diff RUNNING INTENDED`, for whoever comes in by Django: `manage.py help`,
`call_command`. `manage.py mqc` itself goes to `mqc_door` and sets Django up for nothing.
"""

from __future__ import annotations

from argparse import ArgumentParser
from typing import Any

from provisioning.management import mqc_door
from provisioning.management.refusing import BAD_INPUT, RefusingCommand


class Command(RefusingCommand):
    help = mqc_door.HELP
    refused_with = BAD_INPUT
    requires_system_checks: tuple[str, ...] = ()

    def add_arguments(self, parser: ArgumentParser) -> None:
        mqc_door.add_arguments(parser)

    def run_from_argv(self, argv: list[str]) -> None:
        raise SystemExit(mqc_door.main(argv[2:]))

    def handle(self, *_args: Any, **options: Any) -> None:
        status = mqc_door.run(options)
        if status:
            raise SystemExit(status)
