"""A Linux router of the domain: RouterIntent -> what nftables and tc must hold, the commands that take it there, and back from
what the kernel says to the same values and to counters.

Policers are token bucket filters with room for one packet on devices of their own (IFB), since `nft limit` is none: its bucket
is a second of rate and more. Marking is one nftables table, changed in one transaction. Queues are an HTB.
"""

from provisioning.pipeline.linux.carrying import change, keeping
from provisioning.pipeline.linux.counting import counted
from provisioning.pipeline.linux.difference import difference
from provisioning.pipeline.linux.intending import Wanted, intended
from provisioning.pipeline.linux.looking import SEEN, Link, Look, looked
from provisioning.pipeline.linux.policies import (
    compiled,
    held_text,
    kept,
    loader,
    saved_text,
    there,
    toward,
    written,
)
from provisioning.pipeline.linux.reading import READ, read
from provisioning.pipeline.linux.safety import gaps
from provisioning.pipeline.linux.script import script
from provisioning.pipeline.linux.steps import Step, apply, shell
from provisioning.pipeline.linux.values import (
    Filter,
    LinuxState,
    Policer,
    Queue,
    QueueClass,
    Rule,
    Selector,
)

__all__ = [
    "READ",
    "SEEN",
    "Filter",
    "Link",
    "LinuxState",
    "Look",
    "Policer",
    "Queue",
    "QueueClass",
    "Rule",
    "Selector",
    "Step",
    "Wanted",
    "apply",
    "change",
    "compiled",
    "counted",
    "difference",
    "gaps",
    "held_text",
    "intended",
    "keeping",
    "kept",
    "loader",
    "looked",
    "read",
    "saved_text",
    "script",
    "shell",
    "there",
    "toward",
    "written",
]
