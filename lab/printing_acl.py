"""Access lists as the train prints them (ios-facts N31-N35)."""

from __future__ import annotations

from lab.names import DSCP_NAMES
from lab.store import AccessList, Ace
from lab.trains import Train


def access_list_lines(train: Train, acl: AccessList) -> list[str]:
    """The lines of one access list in a running-config."""
    if acl.family == "numbered":
        return [f"access-list {acl.name} {entry_text(train, acl, ace)}" for _, ace in acl.ordered()]
    kind = "" if acl.family == "ipv6" else acl.family.removeprefix("ip")
    lines = [f"{'ipv6' if acl.family == 'ipv6' else 'ip'} access-list{kind} {acl.name}"]
    previous = 0
    for number, ace in acl.ordered():
        prefix = ""
        if acl.family == "ipv6":
            # ios-facts N32: classic IOS names a sequence only off the 10-20-30 grid
            if train.ipv6_sequence == "always" or number != previous + 10:
                prefix = f"sequence {number} "
        elif train.ipv4_sequence:
            prefix = f"{number} "  # ios-facts N33
        previous = number
        lines.append(f" {prefix}{entry_text(train, acl, ace)}")
    return lines


def entry_text(train: Train, acl: AccessList, ace: Ace) -> str:
    """One entry without its sequence; IPv4 pads ``deny`` to the width of ``permit`` (ios-facts N33)."""
    if ace.remark is not None:
        return f"remark {ace.remark}"
    action = ace.action if acl.family == "ipv6" or ace.action == "permit" else "deny  "
    words = [action, ace.protocol, ace.source, ace.source_port, ace.destination, ace.destination_port]
    if ace.dscp is not None:
        words.append(f"dscp {DSCP_NAMES.get(ace.dscp, ace.dscp) if train.dscp == 'name' else ace.dscp}")
    if ace.flow_label is not None:
        label = f"flow-label {ace.flow_label}"  # ios-facts N34: decimal; the order is unknown (U6)
        if train.flow_label_order == "before-dscp" and ace.dscp is not None:
            words.insert(-1, label)
        else:
            words.append(label)
    return " ".join(word for word in (*words, *ace.options) if word)
