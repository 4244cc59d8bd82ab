from importlib import import_module

import django.db.models.deletion
from django.db import migrations, models

# An import writes the charges of a new path before it locks the links, where nobody waits for it: what is not committed nobody
# sees. The witness of 0030 locks the share of each link, for which others wait who hold the link; so the transaction says that
# these are judged when it asks (`expedite.judged_later`), and asks by their keys: before the links are locked without locking a
# share, and after it for those beside which something changed. Who leaves out to ask could as well have written `exempt`.
_first = import_module("provisioning.migrations.0029_witness_of_a_statement")
_before = import_module("provisioning.migrations.0030_witness_adds_up_first")
_BEGIN = "    BEGIN\n"
_LATER = """        IF current_setting('expedite.judged_later', true) = 'yes' THEN
            RETURN NULL;
        END IF;
"""
_FRESH = "fresh AS MATERIALIZED (SELECT * FROM provisioning_ledgerentry WHERE id = ANY ($1))"
_ASKED = "provisioning_within_shares_of(keys bigint[], locking boolean)"


def _function(when, parts):
    text = _first._FUNCTION.replace("{judge}", _before._judge()).replace("{when}", when.lower())
    for name, part in parts.items():
        text = text.replace(f"{{{name}}}", part)
    return text


def _on_insert():
    text = _function("INSERT", _first._TRIGGERS["is"][2])
    assert text.count(_BEGIN) == 1
    return text.replace("CREATE FUNCTION", "CREATE OR REPLACE FUNCTION").replace(_BEGIN, _BEGIN + _LATER)


def _on_asking():
    parts = {"with": f"WITH {_FRESH}", "former": f"{_FRESH},", "rows": "fresh", "grown": ""}
    text = _function("ASKED", parts)
    for old, new in {
        "provisioning_within_shares_asked() RETURNS trigger": f"{_ASKED} RETURNS void",
        "$lock$;": "$lock$ USING keys;",
        "$judge$ INTO found;": "$judge$ INTO found USING keys;",
        "        GET DIAGNOSTICS": "        END IF;\n        GET DIAGNOSTICS",
        "        EXECUTE $lock$": "        IF locking THEN\n        EXECUTE $lock$",
        "        IF shares = 0 THEN": "        IF locking AND shares = 0 THEN",
        "RETURN NULL;": "RETURN;",
    }.items():
        assert old in text
        text = text.replace(old, new)
    return text


def install(apps, schema_editor):
    if schema_editor.connection.vendor == "postgresql":
        schema_editor.execute(_on_insert(), params=None)
        schema_editor.execute(_on_asking(), params=None)


def remove(apps, schema_editor):
    if schema_editor.connection.vendor == "postgresql":
        schema_editor.execute(f"DROP FUNCTION {_ASKED}")
        _before.install(apps, schema_editor)


# Room in each page for the new versions of a third of its rows, so that marking what moves writes no index. Pages that are full
# by now get it when the table is written anew (VACUUM FULL), or never.
def leave_room(apps, schema_editor):
    if schema_editor.connection.vendor == "postgresql":
        schema_editor.execute("ALTER TABLE provisioning_ledgerentry SET (fillfactor = 70)")


def leave_none(apps, schema_editor):
    if schema_editor.connection.vendor == "postgresql":
        schema_editor.execute("ALTER TABLE provisioning_ledgerentry RESET (fillfactor)")


# By hand: Django writes the table anew on SQLite where a foreign key loses its index, and the witness would be lost with it.
_WHOLE = {"hold_id": "provisioning_ledgerentry_hold_id_3dbf17e3", "modification_id": "provisioning_ledgerentry_modification_id_a06528bb"}


def drop_whole(apps, schema_editor):
    for name in _WHOLE.values():
        schema_editor.execute(f"DROP INDEX IF EXISTS {name}")


def make_whole(apps, schema_editor):
    for column, name in _WHOLE.items():
        schema_editor.execute(f"CREATE INDEX {name} ON provisioning_ledgerentry ({column})")


class Migration(migrations.Migration):

    dependencies = [
        ('provisioning', '0031_follow_ups_of_pushes'),
    ]

    operations = [
        migrations.RunPython(install, remove),
        migrations.RunPython(leave_room, leave_none),
        migrations.RemoveIndex(
            model_name='ledgerentry',
            name='charges_that_move',
        ),
        migrations.SeparateDatabaseAndState(
            database_operations=[migrations.RunPython(drop_whole, make_whole)],
            state_operations=[
                migrations.AlterField(
                    model_name='ledgerentry',
                    name='hold',
                    field=models.ForeignKey(db_index=False, null=True, on_delete=django.db.models.deletion.CASCADE, related_name='hold_charges', to='provisioning.premiumrequest'),
                ),
                migrations.AlterField(
                    model_name='ledgerentry',
                    name='modification',
                    field=models.ForeignKey(blank=True, db_index=False, help_text="What it adds to the reservation's own until the routers were seen with it; empty: the own.", null=True, on_delete=django.db.models.deletion.PROTECT, related_name='charges', to='provisioning.modification'),
                ),
            ],
        ),
        migrations.AddIndex(
            model_name='ledgerentry',
            index=models.Index(condition=models.Q(('hold__isnull', False)), fields=['hold'], name='charges_of_holds'),
        ),
        migrations.AddIndex(
            model_name='ledgerentry',
            index=models.Index(condition=models.Q(('modification__isnull', False)), fields=['modification'], name='charges_of_modifications'),
        ),
        migrations.AddIndex(
            model_name='reservation',
            index=models.Index(condition=models.Q(('moving_to__isnull', False)), fields=['request'], name='reservations_that_move'),
        ),
    ]
