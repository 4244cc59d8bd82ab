"""Every address of the API x method x the roles of the table, made from the rows of `matrix.py`: who may is answered as the whole
NOC (or JANET) is, who may not is refused. `matrix.py` itself has the tenants.
"""

from __future__ import annotations

import pytest
from django.db import transaction

from inventory.models import Nren
from provisioning.models import SYSTEM, Role
from provisioning.pipeline.authority import ROLES, Verb, may
from provisioning.services import people, tokens
from tests.api.conftest import ROLES as SPEAKERS
from tests.api.conftest import Speaker
from tests.api.matrix import BODIES, MATRIX, V1
from tests.api.matrix import NOT_NOW as SAID_FIRST
from tests.api.matrix import ids as ids
from tests.api.matrix import made as made
from tests.api.matrix import speakers as speakers

pytestmark = pytest.mark.once

# What is done by a POST, by its last word; of one that a resource gives another meaning, with the resource.
OF_ACTION = {
    "hold": Verb.DECIDE, "unhold": Verb.DECIDE, "admit": Verb.DECIDE, "refuse": Verb.DECIDE,
    "withdraw": Verb.END, "end-early": Verb.END, "modification-withdraw": Verb.END,
    "consent": Verb.ANSWER, "modification-consent": Verb.ANSWER,
    "take-offer": Verb.ASK, "modify": Verb.ASK, "modify-what-if": Verb.ASK, "extend": Verb.ASK,
    "flow-label": Verb.ASK, "range": Verb.ASK, "premium-requests": Verb.ASK, "series": Verb.ASK,
    "what-if": Verb.ASK, "capacity-changes/what-if": Verb.NETWORK, "capacity-changes": Verb.NETWORK,
    "take-back": Verb.NETWORK, "take-back-what-if": Verb.NETWORK, "declare": Verb.NETWORK,
    "declare-what-if": Verb.NETWORK, "compare": Verb.NETWORK, "ignore": Verb.MEND, "heed": Verb.MEND, "moves/end": Verb.NETWORK,
    "moves/{moving}/end": Verb.NETWORK, "quota": Verb.QUOTA, "chassis": Verb.MEND, "save": Verb.MEND,
    "next-step": Verb.MEND, "probe": Verb.READ_ROUTER, "pause": Verb.PAUSE, "resume": Verb.PAUSE,
    "rollout": Verb.COURSE, "undo": Verb.UNDO, "abort": Verb.CANCEL, "rehearse": Verb.REHEARSE,
    "stop": Verb.STOP, "go-on": Verb.GO_ON, "acknowledge": Verb.ACKNOWLEDGE, "subscribers": Verb.NOTIFY,
    "changes": Verb.PLAN, "approve": Verb.APPROVE, "push": Verb.RELEASE, "approve-lines": Verb.APPROVE_LINES,
    "revoke-lines": Verb.TAKE_LINES_BACK, "plan-again": Verb.PLAN, "verify": Verb.READ_ROUTER, "try-now": Verb.MEND,
    "change": Verb.NOTIFY, "test": Verb.NOTIFY, "end": Verb.NOTIFY,
    "replay": Verb.NOTIFY, "network-files": Verb.NETWORK,
    "tokens": Verb.TOKENS, "rotate": Verb.TOKENS, "revoke": Verb.TOKENS,
}  # fmt: skip
# JANET's token is an administrator's to see and to revoke, and a token rotates itself only.
OF_ADMINISTRATOR = {
    ("GET", "tokens/{token}/"): 200,
    ("POST", "tokens/{token}/rotate/"): 403,
    ("POST", "tokens/{token}/revoke/"): 200,
}
STAFF = [Role.OPERATOR, Role.APPROVER, Role.AUDITOR, Role.ADMINISTRATOR]


def verb_of(method: str, path: str) -> Verb:
    """What the address does; a GET sees, unless it works something out for whoever asks."""
    word = path.split("?")[0].rstrip("/")
    last = word.rsplit("/", 1)[-1]
    if word.startswith("tokens"):
        return Verb.TOKENS
    if method in ("PATCH", "DELETE"):
        return Verb.NETWORK
    if method == "GET":
        return Verb.ASK if last == "range" else Verb.SEE_REQUESTS
    return OF_ACTION.get(word) or OF_ACTION[last]


def test_every_row_of_the_matrix_has_a_verb() -> None:
    assert {verb_of(*row) for row in MATRIX} <= set(Verb)


@pytest.mark.parametrize("role", STAFF)
def test_staff_is_answered_as_the_table_says(made: object, ids: dict[str, int], role: Role) -> None:
    """The whole NOC may do what one of its roles may: such a role is answered as it is, every other is refused."""
    wrong, speaker = [], spoken_for(role)
    for (method, path), row in MATRIX.items():
        verb = verb_of(method, path)
        body = BODIES.get(path) if method in ("POST", "PATCH") else None
        if path == "moves/end/":
            body = {"requests": [ids["moving"]], "reason": "seen on the routers"}
        status = answered(speaker, method, V1 + path.format(**ids), body)
        whole = dict(zip(SPEAKERS, row, strict=True))["noc"]
        if role is Role.ADMINISTRATOR:
            whole = OF_ADMINISTRATOR.get((method, path), whole)
        if may([role], verb):
            fine = status == whole
        else:
            fine = status in (403, 404) or (row is SAID_FIRST and status == 409)
        if not fine:
            wrong.append((method, path, verb.value, status, whole))
    assert not wrong


def test_a_reader_reads_what_its_nren_may_read_and_does_nothing(made: object, ids: dict[str, int]) -> None:
    reader, wrong = spoken_for(Role.READER), []
    for (method, path), row in MATRIX.items():
        verb = verb_of(method, path)
        body = BODIES.get(path) if method in ("POST", "PATCH") else None
        status = answered(reader, method, V1 + path.format(**ids), body)
        fine = (
            status == dict(zip(SPEAKERS, row, strict=True))["read-only"]
            if method == "GET" and verb not in (Verb.ASK, Verb.TOKENS)
            else status in (403, 404) or (row is SAID_FIRST and status == 409)
        )
        if verb is Verb.TOKENS:  # of oneself: another's is not there
            fine = status == 404 if "{token}" in path else status in (200, 201)
        if not fine:
            wrong.append((method, path, verb.value, status))
    assert not wrong


def answered(speaker: Speaker, method: str, path: str, body: object) -> int:
    """The status of the answer; what was done by it is undone, so that every row meets the world as it is."""
    with transaction.atomic():
        status = speaker.send(method, path, body).status_code
        transaction.set_rollback(True)
    return status


def spoken_for(role: Role) -> Speaker:
    """Somebody of this role alone, for JANET where it is one of an NREN."""
    assert role in ROLES
    nrens = list(Nren.objects.filter(name="JANET")) if role in (Role.READER, Role.NREN) else []
    user = people.put_person(actor=SYSTEM, username=f"only-{role.value}", roles=[role], nrens=nrens)
    return Speaker(tokens.issue(actor=SYSTEM, user=user, nren=None, name="t")[1])
