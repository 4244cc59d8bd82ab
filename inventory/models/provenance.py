"""Where a fact about the network comes from."""

from django.db import models


class Provenance(models.TextChoices):
    """Whether the documents state a row or whether it was chosen as plausible and must not be quoted."""

    DOC = "doc", "from the documents"
    REPRESENTATIVE = "representative", "representative"
