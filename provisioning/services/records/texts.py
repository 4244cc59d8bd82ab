"""Network and scheme of a decision, from the texts that were kept; read once where many decisions rest on the same."""

from __future__ import annotations

import json
from collections import OrderedDict
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Final, TypeVar

from provisioning.errors import InvalidInput
from provisioning.models import DecisionRecord, RecordedText, TopologyVersion
from provisioning.pipeline.scheme import Scheme
from provisioning.pipeline.topology import Network, network_from_json
from provisioning.selectors.schemes import scheme_from
from provisioning.services.records.packing import digest_of, unpacked
from provisioning.services.records.values import Finding

_KEPT: Final = 4
Value = TypeVar("Value")


@dataclass(frozen=True)
class Kept:
    """Network and scheme; None with a finding that says why."""

    network: Network | None
    scheme: Scheme | None
    findings: tuple[Finding, ...] = ()


class Texts:
    """What was read of the texts, the last few of them."""

    def __init__(self) -> None:
        self._read: OrderedDict[tuple[str, ...], Any] = OrderedDict()
        self._versions: OrderedDict[tuple[str, int], tuple[str, str | None]] = OrderedDict()

    def of(self, record: DecisionRecord, said: dict[str, Any]) -> Kept:
        """The network and the scheme that a record names, by digest."""
        topology, scheme = said["topology"], said["scheme"]
        findings: list[Finding] = []
        network = self._value(
            findings,
            "network",
            topology["network"],
            record.network_id,
            (),
            lambda text: network_from_json(json.loads(text)),
        )
        options = scheme["options"]
        chosen = self._value(
            findings,
            "scheme",
            scheme["text"],
            record.scheme_id,
            (scheme["policer"], json.dumps(options, sort_keys=True)),
            lambda text: scheme_from(text, policer=scheme["policer"], options=options),
        )
        findings += self._version(topology)
        return Kept(network, chosen, tuple(findings))

    def _value(
        self,
        findings: list[Finding],
        part: str,
        digest: str,
        column: str | None,
        more: tuple[str, ...],
        read: Callable[[str], Value],
    ) -> Value | None:
        if column != digest:
            findings.append(
                Finding(
                    "fault",
                    part,
                    f"the record says {digest[:12]}..., its row refers to {str(column)[:12]}...",
                )
            )
        key = (part, digest, *more)
        if key not in self._read:
            try:
                self._read[key] = read(_text(digest))
            except _Gone as gone:
                findings.append(Finding("missing", part, str(gone)))
                return None
            except (InvalidInput, ValueError) as error:
                findings.append(Finding("fault", part, f"its text cannot be used: {error}"))
                return None
            while len(self._read) > _KEPT:
                self._read.popitem(last=False)
        self._read.move_to_end(key)
        found: Value = self._read[key]
        return found

    def _version(self, topology: dict[str, Any]) -> list[Finding]:
        """The row of the version against what the record says of it."""
        if not topology["version"]:
            return []
        row = self._row_of(topology["domain"], topology["version"])
        name = f"version {topology['version']}"
        if row is None:
            return [
                Finding("fault", name, f"{topology['domain']} has no such version of the topology any more")
            ]
        digest, text = row
        if digest != topology["digest"] or text not in (None, topology["network"]):
            return [Finding("fault", name, "its row says another network than the one that was decided by")]
        return []

    def _row_of(self, domain: str, number: int) -> tuple[str, str | None] | None:
        """Digests of a version and of its text as its row says them: it does not change, but for a text that is pruned."""
        found = self._versions.get((domain, number))
        if found is None:
            rows = TopologyVersion.objects.filter(domain__name=domain, number=number)
            found = rows.values_list("digest", "text").first()
            if found is not None:
                self._versions[domain, number] = found
                while len(self._versions) > _KEPT:
                    self._versions.popitem(last=False)
        return found


class _Gone(Exception):
    """The text was pruned."""


def _text(digest: str) -> str:
    """The kept text of that digest; raises _Gone where it is there no more, InvalidInput where it is another one."""
    content = RecordedText.objects.filter(pk=digest).values_list("content", flat=True).first()
    if not content:
        raise _Gone(f"the text {digest[:12]}... is older than records are kept (KEEP_RECORDS_DAYS), or gone")
    text = unpacked(content)
    if digest_of(text) != digest:
        raise InvalidInput("it was edited: it is not the text of its digest", field="text")
    return text
