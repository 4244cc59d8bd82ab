#!/usr/bin/env python3
"""Expedite's commands: `manage.py help` lists them."""

import os
import sys


def main() -> None:
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "provisioning.settings")
    try:
        from django.core.management import execute_from_command_line
    except ImportError as error:
        raise SystemExit(
            "Django is not installed here: run `make setup` and use .venv/bin/python."
        ) from error
    execute_from_command_line(sys.argv)


if __name__ == "__main__":
    main()
