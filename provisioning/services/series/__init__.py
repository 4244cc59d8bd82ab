"""Windows that come again: asked for, answered, decided and given back as one."""

from provisioning.services.series.answering import consent
from provisioning.services.series.asking import SubmitSeries
from provisioning.services.series.deciding import Verdict, admit, evidence, hold, refuse, unhold
from provisioning.services.series.ending import withdraw
from provisioning.services.series.submission import submit

__all__ = [
    "SubmitSeries",
    "Verdict",
    "admit",
    "consent",
    "evidence",
    "hold",
    "refuse",
    "submit",
    "unhold",
    "withdraw",
]
