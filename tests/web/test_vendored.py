"""What is vendored is what VENDORED.md says, byte for byte, and nothing comes from elsewhere."""

from __future__ import annotations

import hashlib
import re
from pathlib import Path

from django.conf import settings

VENDOR = Path(settings.BASE_DIR) / "provisioning" / "web" / "static" / "web" / "vendor"
ROW = re.compile(r"^\| (?P<file>[\w.-]+) \| .* \| (?P<digest>[0-9a-f]{64}) \|$", re.MULTILINE)


def test_every_vendored_file_has_the_hash_that_is_written_down() -> None:
    written = {found["file"]: found["digest"] for found in ROW.finditer((VENDOR / "VENDORED.md").read_text())}
    there = {path.name for path in VENDOR.iterdir() if path.is_file()} - {"VENDORED.md"}
    assert there == set(written)
    for name, digest in written.items():
        assert hashlib.sha256((VENDOR / name).read_bytes()).hexdigest() == digest, name


def test_every_vendored_package_ships_its_licence() -> None:
    named = set(re.findall(r"\(licences/([\w.-]+)\)", (VENDOR / "VENDORED.md").read_text()))
    assert named == {path.name for path in (VENDOR / "licences").iterdir()}
    assert len(named) == 3


def test_style_sheets_load_nothing_from_other_hosts() -> None:
    for sheet in VENDOR.parent.rglob("*.css"):
        loaded = re.findall(r"url\(\s*[\"']?([^\"')]{0,40})", sheet.read_text())
        assert not [url for url in loaded if not url.startswith("data:")], sheet.name
