"""The audit trail: who did what, chained per subject in the deed's own transaction, sealed in one order afterwards."""

from provisioning.services.audit.heads import head_of, signed_head
from provisioning.services.audit.recording import Deed, digest_of, gathered, length_of, record, record_all
from provisioning.services.audit.sealing import GENESIS, head, seal_waiting
from provisioning.services.audit.signing import Signed, is_ours, is_signed, signed
from provisioning.services.audit.values import plain, transcript_digest
from provisioning.services.audit.verifying import LATE, ChainCheck, Fault, holds, verify_chain

__all__ = [
    "GENESIS",
    "LATE",
    "ChainCheck",
    "Deed",
    "Fault",
    "Signed",
    "digest_of",
    "gathered",
    "head",
    "head_of",
    "holds",
    "is_ours",
    "is_signed",
    "length_of",
    "plain",
    "record",
    "record_all",
    "seal_waiting",
    "signed",
    "signed_head",
    "transcript_digest",
    "verify_chain",
]
