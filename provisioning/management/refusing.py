"""The one way a command tells what it refuses: one line that is safe on a terminal, and an exit status."""

from __future__ import annotations

import sys
from functools import partial
from typing import Any, ClassVar, TextIO

from django.core.management.base import BaseCommand, CommandError, SystemCheckError
from django.db import DatabaseError, connection

from provisioning.apps import SECRETS
from provisioning.errors import ExpediteError, InvalidInput, NotVisible
from provisioning.management.printable import printable
from provisioning.services import retrying

BAD_INPUT = 2


class _Shown:
    """A stream on which nothing steers a terminal: rows hold what routers said, and what doors once let in."""

    def __init__(self, out: TextIO) -> None:
        self._out = out

    def write(self, text: str) -> int:
        """Write the text, printable."""
        return self._out.write(printable(text))

    def __getattr__(self, name: str) -> Any:
        return getattr(self._out, name)


class RefusingCommand(BaseCommand):
    """A command whose `handle` lets errors of ours pass: they are told here, and so is every CommandError of its own. Whatever
    it prints is printable.

    `refused_with` is the exit status of what the state of things does not allow; a name that nothing has, and input that
    cannot be meant, are 2 in every command.
    """

    # Our own alone: Django's look at every page, and take longer to load those than most commands take.
    requires_system_checks = (SECRETS,)
    refused_with: ClassVar[int] = 1
    one_deed: ClassVar[bool] = False
    """Whether all that `handle` does is one deed, which may be done again from its beginning (services.retrying)."""

    def execute(self, *args: Any, **options: Any) -> str | None:
        """Run the command. Raises CommandError, its text printable, for everything that was refused on purpose."""
        options["stdout"] = _Shown(options.get("stdout") or sys.stdout)
        try:
            run = partial(super().execute, *args, **options)
            done: str | None = retrying.whole(run) if self.one_deed else run()
        except SystemCheckError:
            raise  # coloured by Django, and of no input
        except CommandError as error:
            raise CommandError(printable(str(error)), returncode=error.returncode) from error
        except ExpediteError as error:
            raise CommandError(printable(str(error)), returncode=self.status_of(error)) from error
        except DatabaseError as error:
            busy = retrying.unavailable(error)
            if busy is None or connection.vendor != "postgresql" or retrying.sqlstate_of(error) is None:
                raise  # manage.py says what is wrong with a database that cannot be used
            raise CommandError(printable(str(busy)), returncode=self.status_of(busy)) from error
        return done

    def status_of(self, error: ExpediteError) -> int:
        """The exit status for an error: 2 for a name that nothing has or input that cannot be meant, else `refused_with`."""
        return BAD_INPUT if isinstance(error, InvalidInput | NotVisible) else self.refused_with
