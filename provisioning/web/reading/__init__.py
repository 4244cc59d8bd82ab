"""What the pages read. Nothing here writes; what a person may not see is filtered out here, once."""

from provisioning.web.reading.alarm import Alarm
from provisioning.web.reading.alarms import alarms
from provisioning.web.reading.changes import change_of, change_states, changes, pushes_of
from provisioning.web.reading.frame import (
    Waiting,
    consents_waiting,
    domain_name,
    nren_names,
    service_offered,
    service_titles,
    waiting,
)
from provisioning.web.reading.history import events_about, events_of, page_of_events, visible_events
from provisioning.web.reading.queue import GROUPS, changes_waiting, group, group_counts
from provisioning.web.reading.requests import request_of, requests
from provisioning.web.reading.series import (
    Occurrences,
    occurrences_of,
    one_line_each,
    one_row_each,
    series_of,
    standing_of,
)

__all__ = [
    "GROUPS",
    "Alarm",
    "Occurrences",
    "Waiting",
    "alarms",
    "change_of",
    "change_states",
    "changes",
    "changes_waiting",
    "consents_waiting",
    "domain_name",
    "events_about",
    "events_of",
    "group",
    "group_counts",
    "nren_names",
    "occurrences_of",
    "one_line_each",
    "one_row_each",
    "page_of_events",
    "pushes_of",
    "request_of",
    "requests",
    "series_of",
    "service_offered",
    "service_titles",
    "standing_of",
    "visible_events",
    "waiting",
]
