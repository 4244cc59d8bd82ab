"""Windows that come again: asked for, answered, decided and given back as one."""

from provisioning.services.series.answering import consent
from provisioning.services.series.asking import SubmitSeries
from provisioning.services.series.changing import end_early, take_offer
from provisioning.services.series.clocks import clock_text, local_time
from provisioning.services.series.deciding import Verdict, admit, evidence, hold, refuse, unhold
from provisioning.services.series.ending import withdraw
from provisioning.services.series.submission import submit
from provisioning.services.series.trying import try_out

__all__ = [
    "end_early",
    "take_offer",
    "try_out",
    "SubmitSeries",
    "Verdict",
    "admit",
    "clock_text",
    "consent",
    "evidence",
    "hold",
    "local_time",
    "refuse",
    "submit",
    "unhold",
    "withdraw",
]
