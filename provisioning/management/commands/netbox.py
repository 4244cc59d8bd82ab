"""``manage.py netbox RULES``: a NetBox, or what was read of one, -> a network file, and what of it is not in the file.

Exit status: 0 the file is made, 1 an object is wrong or the NetBox does not answer, 2 bad rules, a bad bundle, an address
that may not be asked.
"""

from __future__ import annotations

import dataclasses
import json
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from django.conf import settings
from django.core.management.base import CommandError, CommandParser

from inventory.readers.errors import NetworkFileError
from inventory.readers.netbox.bundle import LARGEST_BUNDLE_BYTES, Bundle, read_bundle
from inventory.readers.netbox.mapping import Mapped, make_network
from inventory.readers.netbox.rules import Rules, read_rules
from provisioning.errors import InvalidInput
from provisioning.management.refusing import BAD_INPUT, RefusingCommand


class Command(RefusingCommand):
    help = (
        "Make a network file of a NetBox by a rules file. Writes no row: `import_inventory FILE --dry-run` says what the file "
        "would do. Every object that is not in the file is told with its reason; where one is wrong there is no file (status 1)."
    )

    def add_arguments(self, parser: CommandParser) -> None:
        """RULES, --url, --token-file, --bundle, --save-bundle, --out, --json."""
        parser.add_argument("rules", metavar="RULES", type=Path, help="the rules: what is taken, and as what")
        parser.add_argument("--url", default="", help="the NetBox; NETBOX_URL where it is not given")
        parser.add_argument(
            "--token-file", type=Path, help="a file with its token; NETBOX_TOKEN where it is not given"
        )
        parser.add_argument(
            "--bundle", type=Path, metavar="FILE", help="ask no NetBox: read what --save-bundle wrote"
        )
        parser.add_argument(
            "--save-bundle", type=Path, metavar="FILE", help="write what was read of the NetBox"
        )
        parser.add_argument(
            "--out", type=Path, metavar="FILE", help="write the network file there instead of printing it"
        )
        parser.add_argument(
            "--json", action="store_true", help="print what was taken and what was not as JSON"
        )

    def handle(self, *_args: Any, **options: Any) -> None:
        """Read, map, write, tell."""
        if options["bundle"] is not None and (options["url"] or options["token_file"]):
            raise CommandError(
                "--bundle asks no NetBox: leave --url and --token-file out", returncode=BAD_INPUT
            )
        try:
            rules = read_rules(options["rules"])
            bundle = _read(options["bundle"]) if options["bundle"] is not None else _asked(options, rules)
        except NetworkFileError as error:
            for fault in error.faults:
                self.stderr.write(fault.spoken())
            number = len(error.faults)
            raise CommandError(
                f"{error.file}: {'one thing is' if number == 1 else f'{number} things are'} wrong; nothing was made",
                returncode=BAD_INPUT,
            ) from error
        if options["save_bundle"] is not None:
            _write(options["save_bundle"], bundle.text(), private=True)
        mapped = make_network(bundle, rules)
        self._tell(mapped, as_json=options["json"])
        if mapped.wrong:
            raise CommandError(
                f"{bundle.source}: {len(mapped.wrong)} wrong: mend them in NetBox, or the rules; no file was made"
            )
        if options["out"] is not None:
            _write(options["out"], mapped.text())
        elif not options["json"]:
            self.stdout.write(mapped.text(), ending="")

    def _tell(self, mapped: Mapped, *, as_json: bool) -> None:
        counts = {key: len(entries) for key, entries in mapped.plain.items() if key != "domain"}
        if as_json:
            told = [dataclasses.asdict(each) for each in mapped.remarks]
            self.stdout.write(json.dumps({"taken": counts, "remarks": told}, indent=2, ensure_ascii=False))
            return
        for each in mapped.remarks:
            self.stderr.write(each.line())
        left = len(mapped.remarks) - len(mapped.wrong)
        self.stderr.write(
            f"{', '.join(f'{number} {key}' for key, number in counts.items())}; {left} left out, {len(mapped.wrong)} wrong"
        )


def _read(path: Path) -> Bundle:
    try:
        with path.open("rb") as stream:
            raw = stream.read(LARGEST_BUNDLE_BYTES + 1)
    except OSError as error:
        raise NetworkFileError(str(path), "", f"cannot be read: {error.strerror}") from error
    return read_bundle(raw, source=str(path))


def _asked(options: dict[str, Any], rules: Rules) -> Bundle:
    from provisioning.services.netbox import NetBox, collect

    url, token = options["url"] or settings.NETBOX_URL, settings.NETBOX_TOKEN
    if options["token_file"] is not None:
        try:
            token = options["token_file"].read_text().strip()
        except (OSError, UnicodeDecodeError) as error:
            raise InvalidInput(f"cannot be read: {error}", field="--token-file") from error
    elif options["url"] and options["url"] != settings.NETBOX_URL:
        # The token of the settings belongs to the address of the settings.
        raise InvalidInput("is needed with an address that is not NETBOX_URL", field="--token-file")
    if not url:
        raise InvalidInput("is not given, and NETBOX_URL is not set", field="--url")
    netbox = NetBox(url, token, ca_file=settings.NETBOX_CA_FILE, timeout=settings.NETBOX_TIMEOUT_SECONDS)
    return collect(netbox, rules, now=datetime.now(UTC))


def _write(path: Path, text: str, *, private: bool = False) -> None:
    """Write a file whole: who reads it meanwhile has the old one or the new one. A pipe or a device is written to."""
    path = path.resolve()
    beside = path.with_name(f".{path.name}.new")
    try:
        if path.exists() and not path.is_file():
            path.write_text(text, encoding="utf-8")
            return
        beside.unlink(missing_ok=True)
        beside.touch(mode=0o600 if private else 0o644, exist_ok=False)
        beside.write_text(text, encoding="utf-8")
        beside.replace(path)
    except OSError as error:
        raise InvalidInput(f"cannot be written: {error.strerror}", field=str(path)) from error
