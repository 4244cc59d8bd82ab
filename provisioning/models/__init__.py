"""The rows of Expedite. They carry constraints and names, no workflow: that is the services' work."""

from provisioning.models.actor import SYSTEM, Actor, Via
from provisioning.models.ahead import ApprovedLines, CarryRule
from provisioning.models.audit import AuditEvent, AuditHead, AuditSeal, AuditSubject, AuditWaiting
from provisioning.models.break_glass import BreakGlass
from provisioning.models.capabilities import RouterCapabilities
from provisioning.models.capacity import CapacityChange
from provisioning.models.changes import (
    Approval,
    Change,
    ChangeKind,
    ConfigSnapshot,
    RouterPush,
    StoredPlan,
    Transcript,
)
from provisioning.models.credentials import Credential, EncryptedField, keyring
from provisioning.models.differences import RouterDifference
from provisioning.models.failures import FailureEffect, FailureRun, UnprotectedRequest
from provisioning.models.flow_labels import FlowLabelUse
from provisioning.models.heartbeats import Heartbeat
from provisioning.models.installation import THE_ONE, Installation
from provisioning.models.jobs import Job, JobKind, JobState, RouterLease
from provisioning.models.kept_forms import KeptForm
from provisioning.models.modifications import Modification
from provisioning.models.ownership import AdoptedName, LinkObjectName, Ownership, RouterSync, SyncState
from provisioning.models.people import ApiToken, DrawnPassword, IdempotencyKey, Membership
from provisioning.models.prefixes import RequestPrefix, Side
from provisioning.models.queue import RouterQueue
from provisioning.models.quotas import Quota
from provisioning.models.records import DecisionRecord
from provisioning.models.rehearsals import Rehearsal, RehearsalOutcome, RehearsedPush
from provisioning.models.remarks import Remark
from provisioning.models.requests import Consent, LedgerEntry, LinkShare, PremiumRequest, Reservation
from provisioning.models.saved_views import ChosenView, SavedView
from provisioning.models.series import Series
from provisioning.models.swaps import BareInterface, SwapTime
from provisioning.models.telling import (
    STANDING,
    Channel,
    Message,
    MessageState,
    Notification,
    Subscriber,
    Telling,
    Topic,
)
from provisioning.models.topology import RecordedText, StagedVersion, TopologyVersion
from provisioning.models.usage import CounterLook, Span, UsagePeriod, UsageSeries
from provisioning.pipeline.authority import Role, Verb

__all__ = [
    "ChosenView",
    "SavedView",
    "CounterLook",
    "Span",
    "UsagePeriod",
    "UsageSeries",
    "Remark",
    "RequestPrefix",
    "Side",
    "SYSTEM",
    "StagedVersion",
    "Actor",
    "AdoptedName",
    "ApiToken",
    "Approval",
    "BareInterface",
    "BreakGlass",
    "ApprovedLines",
    "AuditEvent",
    "AuditHead",
    "AuditSeal",
    "AuditSubject",
    "AuditWaiting",
    "CapacityChange",
    "CarryRule",
    "Change",
    "ChangeKind",
    "Channel",
    "ConfigSnapshot",
    "Consent",
    "Credential",
    "DecisionRecord",
    "DrawnPassword",
    "EncryptedField",
    "FailureEffect",
    "FailureRun",
    "FlowLabelUse",
    "Heartbeat",
    "IdempotencyKey",
    "Installation",
    "Job",
    "JobKind",
    "JobState",
    "KeptForm",
    "LedgerEntry",
    "LinkObjectName",
    "LinkShare",
    "Membership",
    "Message",
    "MessageState",
    "Modification",
    "Notification",
    "Ownership",
    "PremiumRequest",
    "Quota",
    "RecordedText",
    "Rehearsal",
    "RehearsalOutcome",
    "RehearsedPush",
    "Reservation",
    "Role",
    "RouterLease",
    "RouterCapabilities",
    "RouterDifference",
    "RouterPush",
    "RouterQueue",
    "RouterSync",
    "Series",
    "STANDING",
    "StoredPlan",
    "Subscriber",
    "SwapTime",
    "SyncState",
    "THE_ONE",
    "Telling",
    "Topic",
    "TopologyVersion",
    "Transcript",
    "Verb",
    "Via",
    "keyring",
    "UnprotectedRequest",
]
