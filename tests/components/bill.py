"""The bill of materials as CycloneDX JSON, by the library of that standard."""

from __future__ import annotations

import tomllib
from collections.abc import Sequence
from uuid import NAMESPACE_URL, uuid5

from cyclonedx.contrib.license.factories import LicenseFactory
from cyclonedx.model import ExternalReference, ExternalReferenceType, HashAlgorithm, HashType, Property, XsUri
from cyclonedx.model.bom import Bom
from cyclonedx.model.component import Component, ComponentType
from cyclonedx.output import make_outputter
from cyclonedx.schema import OutputFormat, SchemaVersion
from packageurl import PackageURL
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

from tests.components.parts import ROOT, Part

VERSION = SchemaVersion.V1_6


def bill_of(parts: Sequence[Part]) -> Bom:
    """What the parts are, and which of them needs which."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    licences = LicenseFactory()
    root = Component(
        name=project["name"],
        version=project["version"],
        type=ComponentType.APPLICATION,
        bom_ref=project["name"],
        licenses=[licences.make_from_string(project["license"])],
    )
    bom = Bom(serial_number=uuid5(NAMESPACE_URL, repr(sorted(map(repr, parts)))))
    bom.metadata.component = root
    made = {part: _component(part, licences) for part in parts}
    for component in made.values():
        bom.components.add(component)
    by_name = {part.name: component for part, component in made.items() if part.kind == "pypi"}
    direct = [canonicalize_name(Requirement(each).name) for each in project["dependencies"]]
    own = [component for part, component in made.items() if part.kind == "npm"]
    bom.register_dependency(root, [*(by_name[name] for name in direct if name in by_name), *own])
    for part, component in made.items():
        carried = [made[each] for each in parts if each.within == part.name]
        bom.register_dependency(component, [*(by_name[name] for name in sorted(part.needs)), *carried])
    return bom


def as_json(bom: Bom) -> str:
    """The bill as it is written to a file."""
    return make_outputter(bom, OutputFormat.JSON, VERSION).output_as_string(indent=2) + "\n"


def _component(part: Part, licences: LicenseFactory) -> Component:
    group, _, name = part.name.rpartition("/")
    kind = "npm" if part.kind == "inside" else part.kind
    made = Component(
        name=name,
        group=group or None,
        version=part.version or None,
        type=ComponentType.LIBRARY,
        bom_ref=f"{part.within}/{part.name}" if part.within else part.name,
        purl=PackageURL(kind, group or None, name, part.version or None),
        licenses=[licences.make_from_string(part.licence)],
        hashes=[HashType(alg=HashAlgorithm.SHA_256, content=part.digest)] if part.digest else None,
    )
    if part.archives:
        # Which of them was installed depends on the machine: the lock lets in these and no other.
        made.external_references.add(
            ExternalReference(
                type=ExternalReferenceType.DISTRIBUTION,
                url=XsUri("requirements.txt"),
                comment="SHA-256 of each archive that the lock lets in",
                hashes=[HashType(alg=HashAlgorithm.SHA_256, content=each) for each in part.archives],
            )
        )
    if part.within:
        made.properties.add(Property(name="expedite:carried-by", value=part.within))
    return made
