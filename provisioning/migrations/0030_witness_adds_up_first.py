from importlib import import_module

from django.db import migrations

# The witness of 0029 first adds up what is charged to a (link, direction, pool) for which a statement wrote many windows: where all
# of it, whenever it is, is within the smallest share, no instant has to be looked at. An import moves thousands of charges at once,
# while the links are locked. NOT IN is looked up in a table of hashes, however few rows the planner expects.
_before = import_module("provisioning.migrations.0029_witness_of_a_statement")
_NUMBERED = "), numbered AS (\n"
_COUNTED = "), counted AS (\n"
_READ = "), w AS MATERIALIZED (\n"
FEW = 3
"""Windows of one (link, direction, pool) from which on adding up all that is charged there takes less than reading each."""
_ROOM = f"""), within AS MATERIALIZED (
    SELECT k.link, k.direction, k.pool FROM (
        SELECT link, direction, pool, allowed FROM judged GROUP BY 1, 2, 3, 4 HAVING count(*) >= {FEW}) AS k
    WHERE (
        SELECT sum(l.rate_bps) FROM provisioning_ledgerentry AS l
        WHERE l.link = k.link AND l.direction = k.direction AND l.pool = k.pool AND l.released_at IS NULL
    ) <= least(k.allowed, (
        SELECT min(s.share_bps) FROM provisioning_linkshare AS s
        WHERE s.link = k.link AND s.pool = k.pool AND s.valid_to IS NULL AND s.start IS NOT NULL))
), numbered AS (
    SELECT * FROM counted WHERE (link, direction, pool) NOT IN (SELECT link, direction, pool FROM within)
"""


def _judge():
    text = _before._JUDGE
    assert text.count(_NUMBERED) == text.count(_READ) == 1
    return text.replace(_NUMBERED, _COUNTED).replace(_READ, _ROOM + _READ)


def _replace(schema_editor, judge):
    if schema_editor.connection.vendor != "postgresql":
        return
    for when, _rows, parts in _before._TRIGGERS.values():
        function = _before._FUNCTION.replace("CREATE FUNCTION", "CREATE OR REPLACE FUNCTION")
        function = function.replace("{judge}", judge).replace("{when}", when.lower())
        for name, text in parts.items():
            function = function.replace(f"{{{name}}}", text)
        schema_editor.execute(function, params=None)


def install(apps, schema_editor):
    _replace(schema_editor, _judge())


def remove(apps, schema_editor):
    _replace(schema_editor, _before._JUDGE)


class Migration(migrations.Migration):

    dependencies = [
        ('provisioning', '0029_witness_of_a_statement'),
    ]

    operations = [
        migrations.RunPython(install, remove),
    ]
