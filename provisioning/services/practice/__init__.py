"""Practice routers over SSH, one for every router of the inventory: start, stop, look, break.

They are a process of its own (``python -m lab``); this package writes its specification, waits for it, and
records where the routers listen, their host keys and how to sign in, so that everything else treats them as
any router.
"""

from provisioning.services.practice.control import call, running
from provisioning.services.practice.process import PracticeRouter, listening
from provisioning.services.practice.starting import PracticeNetwork, default_state_dir, start, stop

__all__ = [
    "PracticeNetwork",
    "PracticeRouter",
    "call",
    "default_state_dir",
    "listening",
    "running",
    "start",
    "stop",
]
