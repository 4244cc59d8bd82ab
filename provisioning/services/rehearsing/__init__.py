"""A plan played on practice routers that hold what the real ones showed, before anybody approves it.

The lines are the stored ones, the sessions are real SSH, replies are judged and what was sent is read back as in a push
(`pushing.sending`, `pushing.standing`). Nothing is written but the rehearsal itself: no router is leased, no push moves.
"""

from provisioning.services.rehearsing.asking import ask
from provisioning.services.rehearsing.working import rehearse

__all__ = ["ask", "rehearse"]
