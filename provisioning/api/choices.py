"""The sets of values that the API takes and answers, by the name that the schema gives each (settings, ENUM_NAME_OVERRIDES).

Without a name of its own a set is called after a field, with a hash where two fields are called alike: such a name changes when
something else is added, and breaks clients that were generated.
"""

from __future__ import annotations

from typing import Final

from provisioning.models import CapacityChange, ChangeKind, Channel, MessageState, Span, Topic, Verb
from provisioning.pipeline.advice import Provenance, Traffic
from provisioning.pipeline.authority import ROLES
from provisioning.pipeline.ends import Verb as NextVerb
from provisioning.pipeline.packs import Kind
from provisioning.pipeline.states import Stage
from provisioning.selectors.tokens import TokenState
from provisioning.services import tokens
from provisioning.services.requests.replacing import KINDS

STAGES: Final = [stage.value for stage in Stage]
LINK_KINDS: Final = [kind for kind, _name in CapacityChange.KINDS]
FAILURE_KINDS: Final = ["link", "router"]
LINK_DEEDS: Final = ["down", "up", "removed"]
OFFER_KINDS: Final = list(KINDS)
OFFER_KINDS_OR_NONE: Final = [*OFFER_KINDS, ""]
PLAN_KINDS: Final = [ChangeKind.BASELINE.value, ChangeKind.REPAIR.value]
FINDING_KINDS: Final = ["fault", "missing", "changed"]
RECHECK_OUTCOMES: Final = ["holds", "does-not-hold", "cannot-be-said"]
DIRECTIONS: Final = ["one-way", "both"]
SERIES_TAKES: Final = ["all", "those-that-fit"]
VERDICTS: Final = ["admitted", "refused"]
NEXT_STEPS: Final = [verb.value for verb in NextVerb]
PACK_KINDS: Final = [kind.value for kind in Kind]
TRAFFIC: Final = [kind.value for kind in Traffic]
PROVENANCES: Final = [where.value for where in Provenance]
CHANNELS: Final = [channel.value for channel in Channel]
TOPICS: Final = [topic.value for topic in Topic if topic != Topic.TEST]
TOPICS_SENT: Final = [topic.value for topic in Topic]
MESSAGE_STATES: Final = [state.value for state in MessageState]
TOKEN_SCOPES: Final = list(tokens.SCOPES)
TOKEN_STATES: Final = [state.value for state in TokenState]
ROLE_NAMES: Final = [role.value for role in ROLES]
USAGE_SPANS: Final = [span.value for span in Span]
VERB_NAMES: Final = [verb.value for verb in Verb]
