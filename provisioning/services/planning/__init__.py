"""Planning: read routers, work out what each lacks, keep it as a Change to be approved.

`plan_router` is what the clock plans: the work that is due on one router. `ask_for_plan` is what a person asks for: the
baseline, or a repair, of many. Both are done by jobs. Reading happens before the transaction, storing inside it.
"""

from provisioning.services.planning.asking import ask_for_plan, plan_change, plan_domain
from provisioning.services.planning.due_work import plan_router
from provisioning.services.planning.sweeping import sweep

__all__ = ["ask_for_plan", "plan_change", "plan_domain", "plan_router", "sweep"]
