"""Who signed in, how, from where: kept in the audit trail; the sessions of the browser and second factors, listed and ended.

The parts of it that are the same everywhere (passwords, codes, keys, the sessions themselves) are Django's and django-allauth's.
"""

from provisioning.services.identity.factors import changing_factors, encrypt_anew, reset_factors
from provisioning.services.identity.linking import Claims, person_of
from provisioning.services.identity.signing import replace_password, signed_in, signed_out
from provisioning.services.sessions import end_session, end_sessions, seen

__all__ = [
    "Claims",
    "changing_factors",
    "encrypt_anew",
    "end_session",
    "end_sessions",
    "person_of",
    "replace_password",
    "reset_factors",
    "seen",
    "signed_in",
    "signed_out",
]
