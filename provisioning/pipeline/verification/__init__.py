"""Re-read and compare: in sync, differs, or unknown; never a guess."""

from provisioning.pipeline.verification.outcome import Difference, Differs, InSync, Outcome, Unknown
from provisioning.pipeline.verification.verifying import verify

__all__ = ["Difference", "Differs", "InSync", "Outcome", "Unknown", "verify"]
