"""`manage.py token NREN`: issue an API token and print it, once."""

from __future__ import annotations

from argparse import ArgumentParser
from typing import Any

from django.contrib.auth.models import User
from django.core.management.base import CommandError

from inventory.models import Nren
from provisioning.management import acting
from provisioning.management.refusing import BAD_INPUT, RefusingCommand
from provisioning.models import Actor
from provisioning.services import people, tokens


class Command(RefusingCommand):
    one_deed = True
    help = "Issue an API token that speaks for an NREN; its text is printed once and never stored."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("nren", help="name of the NREN, such as JANET")
        parser.add_argument("--user", help="an existing member of the NREN (default: its own API user)")
        parser.add_argument(
            "--as",
            dest="issuer",
            default="",
            help="user name of who issues it, an administrator: kept with the token",
        )
        parser.add_argument("--name", default="command line", help="what the token is called")

    def handle(self, *_args: Any, nren: str, user: str | None, name: str, **options: Any) -> None:
        row = Nren.objects.filter(name__iexact=nren).first()
        if row is None:
            known = ", ".join(Nren.objects.values_list("name", flat=True)) or "none: import a network first"
            raise CommandError(f"There is no NREN {nren!r}; there is {known}.", returncode=BAD_INPUT)
        actor = acting.as_named(options["issuer"]) if options["issuer"] else acting.as_shell()
        _token, text = tokens.issue(actor=actor, user=_user(row, user, actor), nren=row, name=name)
        self.stdout.write(text)


def _user(nren: Nren, username: str | None, actor: Actor) -> User:
    """The member named, or the NREN's own API user, who has no password and cannot sign in."""
    if username is None:
        return people.put_person(actor=actor, username=f"api-{nren.name.lower()}", nrens=[nren])
    found = User.objects.filter(username=username).first()
    if found is None:
        raise CommandError(f"There is no user {username!r}.", returncode=BAD_INPUT)
    return found
