"""All single failures of a domain, worked out as a job and kept as rows of one version of the topology."""

from provisioning.services.failures.working_out import due, work_out

__all__ = ["due", "work_out"]
