"""Access lists: whether a hand-made one says what the scheme's says, and what its entries grant (ios-facts 2.7)."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from ipaddress import IPv4Network, IPv6Network, ip_network

from provisioning.errors import InvalidInput
from provisioning.pipeline.adoption.values import Finding, Grant, Weight
from provisioning.pipeline.mqc import DENIES_THE_REST, AccessList
from provisioning.pipeline.sls import Sls
from provisioning.pipeline.units import BitRate, TimeWindow

# A reservation made of an entry only says who may send; these are the smallest an Sls takes.
LEAST_BUCKET_BYTES, LEAST_PACKET_BYTES = 1501, 1500
ALWAYS = TimeWindow(datetime(1970, 1, 1, tzinfo=UTC))
_ANY = {4: ip_network("0.0.0.0/0"), 6: ip_network("::/0")}


def compare_lists(held: AccessList, wanted: AccessList) -> Iterator[Finding]:
    """Yield what differs, entry by entry; remarks and a closing deny say nothing of their own."""
    where = f"access list {held.name}"
    if held.numbered:
        yield Finding(Weight.DIFFERS, where, "is a numbered list, which is not edited entry by entry")
    if held.standard != wanted.standard:
        yield Finding(Weight.DIFFERS, where, "is a standard list: it does not say where traffic goes")
    mine, theirs = _deciding(held), _deciding(wanted)
    for text in mine:
        if text not in theirs:
            yield Finding(Weight.DIFFERS, where, f"has `{text}`, which nothing accounts for")
    for text in theirs:
        if text not in mine:
            yield Finding(Weight.DIFFERS, where, f"lacks `{text}`")
    ordered = any(not text.startswith("permit") for text in (*mine, *theirs))
    if ordered and sorted(mine) == sorted(theirs) and mine != theirs:
        yield Finding(Weight.DIFFERS, where, "has the entries in another order, and the first match wins")
    if len(set(mine)) != len(mine):
        yield Finding(Weight.SAME, where, "has an entry twice")
    extra = [text for text in _texts(held) if text not in mine and text not in _texts(wanted)]
    if extra:
        said = ", ".join(f"`{text}`" for text in extra)
        yield Finding(Weight.SAME, where, f"also has {said}, which changes nothing")


@dataclass(frozen=True)
class Authorising:
    """An access list with the class of a policy that it authorises for, and what that class's policer counts."""

    access_list: AccessList
    class_name: str
    service_class: str
    counted_bps: int | None
    bucket_bytes: int | None


def grants_of(lists: Sequence[Authorising], link: str, known: Sequence[Sls]) -> list[Grant]:
    """Return every entry of the lists that `known` reservations of the link do not account for."""
    accounted = {text for sls in known for text in _entries_of(sls)}
    found: list[Grant] = []
    for held in lists:
        for text in _deciding(held.access_list):
            if text in DENIES_THE_REST.values() or text in accounted:
                continue
            grant = _grant(held.access_list, text, len(found), link, held.service_class, held.counted_bps)
            found.append(replace(grant, bucket_bytes=held.bucket_bytes, class_name=held.class_name))
    return found


def _grant(
    held: AccessList, text: str, number: int, link: str, service_class: str, counted_bps: int | None
) -> Grant:
    words = text.split()
    reason = ""
    source = destination = None
    label = None
    protocol = "ipv6" if held.family == 6 else "ip"
    if words[:2] != ["permit", protocol]:
        reason = f"`{text}` is more than a source and a destination: no reservation says that"
    else:
        rest = words[2:]
        source, rest = _address(rest, held.family)
        destination, rest = _address(rest, held.family)
        if rest[:1] == ["flow-label"] and len(rest) == 2 and rest[1].isdigit():
            label, rest = int(rest[1]), []
        if source is None or destination is None or rest:
            reason = (
                f"`{text}` is more than a source, a destination and a flow label: no reservation says that"
            )
        elif source.prefixlen == 0:
            reason = "it authorises every source: a reservation names the sender's own prefixes"
    sls = None
    if not reason and source is not None and destination is not None:
        try:
            sls = Sls(
                id=f"found-{number + 1}",
                source_link=link,
                destination_link="",
                service_class=service_class,
                rate=BitRate(1),
                window=ALWAYS,
                bucket_bytes=LEAST_BUCKET_BYTES,
                max_packet_bytes=LEAST_PACKET_BYTES,
                source_prefixes=(source,),
                destination_prefixes=() if destination.prefixlen == 0 else (destination,),
                flow_label=label,
            )
        except InvalidInput as error:
            reason = str(error)
    return Grant(
        held.name,
        text,
        "" if source is None else str(source),
        "any" if destination is None or destination.prefixlen == 0 else str(destination),
        sls,
        reason,
        counted_bps,
    )


def _entries_of(sls: Sls) -> Iterator[str]:
    """The entries a reservation makes, as `intent` writes them."""
    for source in sls.source_prefixes:
        far = [each for each in sls.destination_prefixes if each.version == source.version]
        for destination in far or [_ANY[source.version]]:
            protocol = "ipv6" if source.version == 6 else "ip"
            label = f" flow-label {sls.flow_label}" if sls.flow_label and source.version == 6 else ""
            yield f"permit {protocol} {_spelled(source)} {_spelled(destination)}{label}"


def _spelled(network: IPv4Network | IPv6Network) -> str:
    if network.prefixlen == 0:
        return "any"
    if network.prefixlen == network.max_prefixlen:
        return f"host {network.network_address}"
    if isinstance(network, IPv6Network):
        return str(network)
    return f"{network.network_address} {network.hostmask}"


def _address(words: list[str], family: int) -> tuple[IPv4Network | IPv6Network | None, list[str]]:
    """The prefix an entry's next words say, and what follows; None when they say something else."""
    try:
        if words[:1] == ["any"]:
            return _ANY[family], words[1:]
        if words[:1] == ["host"]:
            return ip_network(words[1]), words[2:]
        if family == 6:
            return ip_network(words[0]), words[1:]
        wildcard = int.from_bytes(bytes(map(int, words[1].split("."))))
        if wildcard & (wildcard + 1):
            return None, words
        return ip_network(f"{words[0]}/{32 - wildcard.bit_length()}"), words[2:]
    except (ValueError, IndexError):
        return None, words


def _texts(access_list: AccessList) -> list[str]:
    return [entry.text for entry in access_list.entries]


def _deciding(access_list: AccessList) -> list[str]:
    """The entries that decide: no remarks, and no closing deny where something was permitted before."""
    texts = [text for text in _texts(access_list) if not text.startswith("remark")]
    if len(texts) > 1 and texts[-1] in DENIES_THE_REST.values():
        texts = texts[:-1]
    return texts
