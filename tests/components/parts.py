"""The parts of a production host: the packages of requirements.txt as they are installed, what some of them carry to a browser,
and the files that are vendored.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import cache
from importlib import metadata
from pathlib import Path
from typing import Any

from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

ROOT = Path(__file__).resolve().parents[2]
VENDORED = ROOT / "provisioning" / "web" / "static" / "web" / "vendor" / "VENDORED.md"
RULES = Path(__file__).with_name("licences.toml")

_PINNED = re.compile(r"^(?P<what>[A-Za-z0-9][^\\\n]*?==[^\\\n]+?)\s*(?:\\|$)")
_HASH = re.compile(r"--hash=sha256:([0-9a-f]{64})")
_ROW = re.compile(
    r"^\| (?P<file>[\w.-]+) \| (?P<name>\S+) \| (?P<version>\S+) \| (?P<licence>[\w.-]+), .* \| (?P<digest>[0-9a-f]{64}) \|$",
    re.MULTILINE,
)


@dataclass(frozen=True)
class Part:
    """One thing that is on the host and is not ours.

    ``licence`` is an SPDX expression, or the words of the package where nobody has said what they mean. ``archives`` are the
    SHA-256 of the archives that the lock lets in, ``digest`` that of the very file. ``within`` names the part that carries it.
    """

    name: str
    version: str
    licence: str
    archives: tuple[str, ...] = ()
    digest: str = ""
    within: str = ""
    needs: frozenset[str] = field(default=frozenset())

    @property
    def kind(self) -> str:
        """Where it comes from: ``pypi``, ``npm``, or ``inside`` another."""
        return "inside" if self.within else "npm" if self.digest else "pypi"


@cache
def rules() -> dict[str, Any]:
    """What `licences.toml` says."""
    return tomllib.loads(RULES.read_text(encoding="utf-8"))


def parts(requirements: Path = ROOT / "requirements.txt") -> list[Part]:
    """Every part, packages first. Raises SystemExit where another version is installed than the lock says."""
    found = list(_installed(requirements.read_text(encoding="utf-8")))
    inside = [
        Part(name, "", licence, within=each.name)
        for each in found
        for name, licence in rules()["inside"].get(each.name, {}).items()
    ]
    return [*found, *inside, *vendored()]


def vendored() -> list[Part]:
    """What `VENDORED.md` lists, with the hash of each file."""
    rows = _ROW.finditer(VENDORED.read_text(encoding="utf-8"))
    return [Part(row["name"], row["version"], row["licence"], digest=row["digest"]) for row in rows]


def _installed(text: str) -> Iterator[Part]:
    blocks = re.split(r"\n(?=\S)", text)
    pinned = [(Requirement(found["what"]), block) for block in blocks if (found := _PINNED.match(block))]
    here = [(each, block) for each, block in pinned if each.marker is None or each.marker.evaluate()]
    names = {canonicalize_name(each.name) for each, _block in here}
    for each, block in here:
        (version,) = (str(one.version) for one in each.specifier)
        about = metadata.distribution(each.name)
        if about.version != version:
            raise SystemExit(f"{each.name} {about.version} is installed, the lock says {version}: make setup")
        needs = {canonicalize_name(Requirement(said).name) for said in about.requires or ()}
        name = canonicalize_name(each.name)
        yield Part(
            name,
            version,
            licence_of(name, about.metadata),
            archives=tuple(_HASH.findall(block)),
            needs=frozenset(needs & names),
        )


def licence_of(name: str, said: Any) -> str:
    """The licence of a package by what is written down for it, else its SPDX expression, its own words, or its classifiers."""
    if name in rules()["packages"]:
        return str(rules()["packages"][name])
    classifiers = [
        each.rpartition(" :: ")[2]
        for each in said.get_all("Classifier") or ()
        if each.startswith("License ::")
    ]
    words = said.get("License-Expression") or said.get("License") or " AND ".join(classifiers)
    words = " ".join(words.split())
    return str(rules()["words"].get(words, words))
