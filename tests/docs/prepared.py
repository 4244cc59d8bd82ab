"""What a document presupposes, made by the commands that another one tells to type; and what cannot be typed in a test."""

from __future__ import annotations

import os
from collections.abc import Mapping
from typing import Final
from urllib.parse import urlsplit

from tests.docs.blocks import ROOT, Command

_MAKE: Final = (
    "has tests of its own (tests/image.py, tests/management); here the environment is there already"
)
_SYSTEM: Final = "needs systemd, and root on a machine of its own; tests/test_containers.py reads the units"
_INTERFACE: Final = "alters an interface of the machine; tests/packs does it in a network of its own"

# Document, beginning of the command, why a test does not type it.
SKIPPED: Final[tuple[tuple[str, str, str], ...]] = (
    ("README.md", "make demo", _MAKE),
    ("README.md", "make test", _MAKE),
    ("CONTRIBUTING.md", "make setup", _MAKE),
    ("CONTRIBUTING.md", "make check", _MAKE),
    ("CONTRIBUTING.md", "make test", _MAKE),
    ("docs/tutorial/first-request.md", "make setup", _MAKE),
    ("docs/howto/deploy.md", "make setup", _MAKE),
    ("docs/howto/deploy.md", "sudo useradd", _SYSTEM),
    ("docs/howto/deploy.md", "sudo install -m 640", _SYSTEM),
    ("docs/howto/deploy.md", "sudo install -d", _SYSTEM),
    ("docs/howto/deploy.md", "sudo install -o", _SYSTEM),
    ("docs/howto/deploy.md", 'echo "STATE_DIR=/var/lib/expedite" | sudo tee', _SYSTEM),
    ("docs/howto/deploy.md", "sudo cp deploy/systemd", _SYSTEM),
    ("docs/howto/deploy.md", "sudo systemctl", _SYSTEM),
    ("docs/howto/upgrade.md", "sudo systemctl stop", _SYSTEM),
    ("docs/howto/upgrade.md", "git pull", "there is no newer version to install"),
    ("docs/howto/upgrade.md", "make setup", _MAKE),
    ("docs/howto/upgrade.md", "sudo systemctl start", _SYSTEM),
    ("docs/howto/configure-your-side.md", "sh pip-1.sh up", _INTERFACE),
    ("docs/howto/configure-your-side.md", "sh pip-1.sh check", _INTERFACE),
    ("docs/howto/configure-your-side.md", "sh pip-1.sh show", _INTERFACE),
    ("docs/howto/configure-your-side.md", "sh pip-1.sh down", _INTERFACE),
)

_MANAGE = ".venv/bin/python manage.py"
_ASK = "--to GRNET@gr6:POS2/0 --destination-prefix 2001:648:0:1002::/64"

# States that several documents begin with: made once, then copied. SURFnet is onboarded as filtered, as in the tutorial.
NETWORK: Final = f"""```sh
sed '/nren: SURFnet,/s/case: non-participant, standing: true/case: filtered, standing: false/' \\
  inventory/networks/6net.yaml > network.yaml
{_MANAGE} migrate --verbosity 0
{_MANAGE} import_inventory network.yaml
{_MANAGE} person alice --role noc-operator
{_MANAGE} person boris --role noc-approver
{_MANAGE} person anna --role noc
{_MANAGE} person jane --nren JANET
{_MANAGE} person giorgos --nren GRNET
{_MANAGE} person sanne --nren SURFnet
```"""
ROUTERS: Final = f"""```sh
{_MANAGE} lab start --background
```"""
BASELINE: Final = f"""{ROUTERS}
```sh
{_MANAGE} plan --as alice --reason baseline
{_MANAGE} approve CHG-1 --as boris --reason "read it"
{_MANAGE} push CHG-1 --as boris
```"""
SITE: Final = """```sh
.venv/bin/gunicorn -c python:provisioning.gunicorn provisioning.wsgi
```"""
GRANTED: Final = f"""```sh
{_MANAGE} ask --as jane --from JANET@uk6:POS1/0 {_ASK} --rate 2Mbit/s --source-prefix 2001:630:8:4::/64 \\
  --start 2027-03-01T09:00Z --end 2027-03-03T09:00Z --contact noc@janet.example
{_MANAGE} consent PIP-1 --agree --as giorgos
{_MANAGE} admit PIP-1 --as boris --reason "it fits"
TOKEN=$({_MANAGE} token JANET --person jane)
```"""
TOO_MUCH: Final = f"""```sh
{_MANAGE} ask --as jane --from JANET@uk6:POS1/0 {_ASK} --rate 8Mbit/s --source-prefix 2001:630:8:5::/64 \\
  --start 2027-03-01T09:00Z --end 2027-03-03T09:00Z --contact noc@janet.example
{_MANAGE} consent PIP-2 --agree --as giorgos
```"""
FILTERED: Final = f"""```sh
{_MANAGE} ask --as sanne --from SURFnet@nl6:GigabitEthernet1/0 {_ASK} --rate 1Mbit/s --source-prefix 2001:610:1:2::/64 \\
  --start 2027-03-01T09:00Z --end 2027-03-03T09:00Z --contact noc@surfnet.example
{_MANAGE} consent PIP-1 --agree --as giorgos
{_MANAGE} admit PIP-1 --as boris --reason "it fits"
```"""
REFUSED_LINE: Final = f"""```sh
{_MANAGE} plan --router nl6 --as alice --reason baseline
{_MANAGE} lab fault nl6 refuse match=policy-map "message=% Invalid input"
{_MANAGE} approve CHG-1 --as boris --reason "read it"
{_MANAGE} push CHG-1 --as boris   # exit 1
{_MANAGE} lab clear nl6
TOKEN=$({_MANAGE} token --person anna)
```"""
EDITED: Final = f"""```sh
{_MANAGE} lab configure nl6 "policy-map NON-PARTICIPANT" "class class-default" "set dscp 8"
```"""

JOINING: Final = f"""```sh
sed -i '/nren: SWITCH,/s/case: non-participant/case: trusted/' network.yaml
{_MANAGE} import_inventory network.yaml
```"""
FROM_A_FILE: Final = """```sh
cp inventory/networks/6net.yaml network.yaml
```"""

# The state a document begins with, and what is typed before it in its own session.
PREPARED: Final[Mapping[str, tuple[str, str]]] = {
    "docs/howto/at-3-a-m.md": ("network", ROUTERS + "\n" + REFUSED_LINE + "\n" + SITE),
    "docs/howto/backup.md": ("baseline", ROUTERS),
    "docs/howto/be-told.md": ("network", f"{SITE}\n```sh\nTOKEN=$({_MANAGE} token --person anna)\n```"),
    "docs/howto/change-a-reservation.md": ("network", "\n".join([SITE, GRANTED, TOO_MUCH])),
    "docs/howto/configure-your-side.md": ("network", "\n".join([SITE, GRANTED])),
    "docs/howto/deploy.md": ("nothing", ""),
    "docs/howto/onboard-an-nren.md": ("baseline", ROUTERS),
    "docs/howto/push-a-change.md": ("baseline", "\n".join([JOINING, ROUTERS, FILTERED])),
    "docs/howto/recover-a-router.md": ("baseline", ROUTERS + "\n" + EDITED),
    "docs/howto/sign-in.md": ("nothing", f"```sh\n{_MANAGE} migrate --verbosity 0\n```"),
    "docs/howto/upgrade.md": ("baseline", ROUTERS),
    "docs/reference/practice-routers.md": ("baseline", ""),
    "docs/howto/adopt-a-network.md": (
        "nothing",
        f"```sh\n{_MANAGE} migrate --verbosity 0\ncp -r {ROOT}/tests/management/handmade configs\n```",
    ),
}
LONG: Final = frozenset(
    f"docs/{name}.md"
    for name in (
        "howto/at-3-a-m",
        "howto/backup",
        "howto/deploy",
        "howto/onboard-an-nren",
        "howto/push-a-change",
        "howto/recover-a-router",
        "howto/upgrade",
        "reference/practice-routers",
    )
)
"""Followed with `make test DEEP=1` only: each pushes to nine routers first, or begins several services."""
STATES: Final[Mapping[str, tuple[str, str]]] = {
    "network": ("nothing", NETWORK),
    "baseline": ("network", BASELINE),
}
"""Each state by the one it is made from, and what makes it."""


def is_skipped(document: str, command: Command) -> bool:
    return any(document == where and command.text.startswith(begins) for where, begins, _why in SKIPPED)


def servers() -> dict[str, str]:
    """Where PostgreSQL and Redis are that `make test` started, as the documents name them; empty without them."""
    database, broker = urlsplit(os.environ.get("DATABASE_URL", "")), urlsplit(os.environ.get("REDIS_URL", ""))
    if database.scheme != "postgres" or not broker.port:
        return {}
    return {
        "@127.0.0.1/expedite": f"@127.0.0.1:{database.port}/expedite",
        "redis://127.0.0.1/0": f"redis://127.0.0.1:{broker.port}/15",
    }


def administrator() -> dict[str, str]:
    """The environment in which `createuser` and `createdb` speak to that PostgreSQL as its administrator."""
    database = urlsplit(os.environ.get("DATABASE_URL", ""))
    return {"PGHOST": "127.0.0.1", "PGPORT": str(database.port), "PGUSER": database.username or ""}
