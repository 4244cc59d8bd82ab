"""``manage.py person``: who may sign in, with which roles and for which NRENs."""

from __future__ import annotations

import getpass
import shlex
import sys
from typing import Any

from django.contrib.auth.password_validation import validate_password
from django.core.exceptions import ValidationError
from django.core.management.base import CommandError, CommandParser

from inventory.models import Nren
from provisioning.management import acting
from provisioning.management.refusing import BAD_INPUT, RefusingCommand
from provisioning.models import Role
from provisioning.services import people


class Command(RefusingCommand):
    """Makes the person, or gives one that exists exactly the roles named, and exactly the NRENs; of which none is named stays."""

    one_deed = True
    help = "Make a person, or set the roles and NRENs of one."

    def add_arguments(self, parser: CommandParser) -> None:
        """A name, roles, NRENs, and where the password comes from."""
        parser.add_argument("name", help="the user name")
        roles = parser.add_mutually_exclusive_group()
        roles.add_argument(
            "--role",
            action="append",
            default=[],
            choices=[role.value for role in Role],
            help="has this role (may be repeated), and no other; without it roles stay as they are",
        )
        roles.add_argument("--no-role", action="store_true", help="take every role away")
        nrens = parser.add_mutually_exclusive_group()
        nrens.add_argument(
            "--nren",
            action="append",
            default=[],
            help="acts for this NREN (may be repeated), and no other; without it NRENs stay as they are",
        )
        nrens.add_argument("--no-nren", action="store_true", help="acts for no NREN any more")
        parser.add_argument("--email", default="")
        word = parser.add_mutually_exclusive_group()
        word.add_argument(
            "--password",
            action="store_true",
            help="ask for a password, or read it from standard input where that is no terminal",
        )
        word.add_argument(
            "--password-stdin", action="store_true", help="read the password from standard input"
        )

    def handle(self, *_args: Any, **options: Any) -> None:
        """Print what the person may now do, and whether they can sign in. Bad input and a bad password are status 2."""
        nrens = [self._nren(name) for name in options["nren"]]
        named = {Role(role) for role in options["role"]}
        person = people.put_person(
            actor=acting.as_shell(),
            username=options["name"],
            roles=named if named or options["no_role"] else None,
            nrens=nrens if nrens or options["no_nren"] else None,
            password=self._password(options),
            email=options["email"],
        )
        acts_for = sorted(person.memberships.values_list("nren__name", flat=True))
        roles = people.acting_roles(named or people.roles_of(person), for_nrens=bool(acts_for))
        whom = f", for {', '.join(acts_for)}" if acts_for else ""
        self.stdout.write(f"{options['name']}: {', '.join(sorted(roles)) or 'no role'}{whom}")
        if not person.has_usable_password():
            self.stdout.write(
                f"No password was set: {options['name']} cannot sign in to the site. "
                f"`manage.py {shlex.join(['person', options['name'], '--password'])}` asks for one."
            )

    @staticmethod
    def _nren(name: str) -> Nren:
        found = Nren.objects.filter(name=name).first()
        if found is None:
            known = ", ".join(Nren.objects.order_by("name").values_list("name", flat=True)) or "none yet"
            raise CommandError(
                f"--nren: there is no NREN {name!r} (there are: {known})", returncode=BAD_INPUT
            )
        return found

    @staticmethod
    def _password(options: dict[str, Any]) -> str | None:
        if options["password_stdin"] or (options["password"] and not sys.stdin.isatty()):
            password = sys.stdin.readline().rstrip("\n")
        elif options["password"]:
            password = getpass.getpass("Password: ")
            if password != getpass.getpass("Again: "):
                raise CommandError("The two passwords differ.", returncode=BAD_INPUT)
        else:
            return None
        try:
            validate_password(password)
        except ValidationError as error:
            raise CommandError(" ".join(error.messages), returncode=BAD_INPUT) from error
        return password
