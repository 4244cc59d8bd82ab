"""Move every stored plan into its own row, and back.

The text is what the fingerprint of a change has always hashed (`json.dumps(plan, sort_keys=True)`): what was approved
before stays approved.
"""

import hashlib
import json

from django.db import migrations


def to_rows(apps, schema_editor):
    """One at a time: a plan may be megabytes."""
    alias = schema_editor.connection.alias
    pushes = apps.get_model("provisioning", "RouterPush").objects.using(alias)
    stored = apps.get_model("provisioning", "StoredPlan").objects.using(alias)
    for pk in list(pushes.filter(plan__isnull=False).order_by("pk").values_list("pk", flat=True)):
        plan = pushes.values_list("plan", flat=True).get(pk=pk)
        text = json.dumps(plan, sort_keys=True)
        there = [said for state in plan.get("proof", ()) for said in state.get("violations", ())]
        back = [said for state in plan.get("back", ()) for said in state.get("violations", ())]
        stored.create(
            push_id=pk,
            content=text,
            size=len(text.encode()),
            gaps=[gap["text"] for gap in plan.get("gaps", ())],
            violations=[*there, *(f"on the way back: {said}" for said in back)],
            warnings=list(plan.get("warnings", ())),
            doubts=list(plan.get("doubts", ())),
        )
        digest = hashlib.sha256(text.encode()).hexdigest()
        pushes.filter(pk=pk).update(plan_digest=digest, lines=len(plan["commands"]))


def to_columns(apps, schema_editor):
    alias = schema_editor.connection.alias
    pushes = apps.get_model("provisioning", "RouterPush").objects.using(alias)
    stored = apps.get_model("provisioning", "StoredPlan").objects.using(alias)
    for pk in list(stored.order_by("pk").values_list("pk", flat=True)):
        pushes.filter(pk=pk).update(plan=json.loads(stored.values_list("content", flat=True).get(pk=pk)))


class Migration(migrations.Migration):

    dependencies = [
        ('provisioning', '0009_stored_plan'),
    ]

    operations = [migrations.RunPython(to_rows, to_columns)]
