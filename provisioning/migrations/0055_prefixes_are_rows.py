import django.db.models.deletion
import inventory.fields
from django.db import migrations, models

# On SQLite a migration that makes the table of requests anew takes these triggers away, and one that makes `RequestPrefix` anew
# fails while they name it: drop them before it and create them again (the first three statements of SQLITE) after it.
# Whoever writes a request - one or a thousand of them, a service or a person at the database - its prefixes are found. A
# prefix is spelled as `inventory.fields.to_sortable` does; SQLite has no function for that and asks ours
# (`database/sqlite3/base.py`), PostgreSQL takes the address out of the binary form of `inet`.
POSTGRESQL = [
    """
    CREATE OR REPLACE FUNCTION provisioning_sortable(prefix text) RETURNS text LANGUAGE sql IMMUTABLE STRICT AS $$
        SELECT family(prefix::inet)
            || lpad(encode(substring(inet_send(network(prefix::inet)) from 5), 'hex'), 32, '0')
            || lpad(masklen(prefix::inet)::text, 3, '0')
    $$
    """,
    """
    CREATE OR REPLACE FUNCTION provisioning_prefixes_as_rows() RETURNS trigger LANGUAGE plpgsql AS $$
    BEGIN
        IF TG_OP <> 'INSERT' THEN
            DELETE FROM provisioning_requestprefix WHERE request_id = OLD.id;
        END IF;
        IF TG_OP <> 'DELETE' THEN
            INSERT INTO provisioning_requestprefix (request_id, side, network)
                SELECT NEW.id, 'source', network FROM (
                    SELECT DISTINCT provisioning_sortable(each) AS network
                    FROM jsonb_array_elements_text(NEW.source_prefixes) AS each) AS sources
                UNION ALL SELECT NEW.id, 'destination', network FROM (
                    SELECT DISTINCT provisioning_sortable(each) AS network
                    FROM jsonb_array_elements_text(NEW.destination_prefixes) AS each) AS destinations;
        END IF;
        RETURN NULL;
    END $$
    """,
    """
    CREATE TRIGGER prefixes_of_a_new_request AFTER INSERT OR DELETE ON provisioning_premiumrequest
    FOR EACH ROW EXECUTE FUNCTION provisioning_prefixes_as_rows()
    """,
    """
    CREATE TRIGGER prefixes_of_a_changed_request
    AFTER UPDATE OF source_prefixes, destination_prefixes ON provisioning_premiumrequest FOR EACH ROW
    WHEN (OLD.source_prefixes <> NEW.source_prefixes OR OLD.destination_prefixes <> NEW.destination_prefixes)
    EXECUTE FUNCTION provisioning_prefixes_as_rows()
    """,
    """
    INSERT INTO provisioning_requestprefix (request_id, side, network)
        SELECT DISTINCT id, 'source', provisioning_sortable(each)
        FROM provisioning_premiumrequest, jsonb_array_elements_text(source_prefixes) AS each
        UNION ALL SELECT DISTINCT id, 'destination', provisioning_sortable(each)
        FROM provisioning_premiumrequest, jsonb_array_elements_text(destination_prefixes) AS each
    """,
]
_INSERT = """
    INSERT INTO provisioning_requestprefix (request_id, side, network)
        SELECT DISTINCT {id}, 'source', sortable_network(value) FROM {of}json_each({source})
        UNION ALL SELECT DISTINCT {id}, 'destination', sortable_network(value) FROM {of}json_each({destination})"""
_NEW = _INSERT.format(id="NEW.id", of="", source="NEW.source_prefixes", destination="NEW.destination_prefixes")
_AWAY = "DELETE FROM provisioning_requestprefix WHERE request_id = OLD.id"
SQLITE = [
    f"CREATE TRIGGER prefixes_of_a_new_request AFTER INSERT ON provisioning_premiumrequest BEGIN {_NEW}; END",
    f"""CREATE TRIGGER prefixes_of_a_changed_request
    AFTER UPDATE OF source_prefixes, destination_prefixes ON provisioning_premiumrequest
    WHEN OLD.source_prefixes <> NEW.source_prefixes OR OLD.destination_prefixes <> NEW.destination_prefixes
    BEGIN {_AWAY}; {_NEW}; END""",
    f"CREATE TRIGGER prefixes_of_a_request_away AFTER DELETE ON provisioning_premiumrequest BEGIN {_AWAY}; END",
    _INSERT.format(
        id="asked.id", of="provisioning_premiumrequest AS asked, ", source="asked.source_prefixes",
        destination="asked.destination_prefixes",
    ),
]
NAMES = ("prefixes_of_a_new_request", "prefixes_of_a_changed_request")


def install(_apps, schema_editor):
    postgresql = schema_editor.connection.vendor == "postgresql"
    for statement in POSTGRESQL if postgresql else SQLITE:
        schema_editor.execute(statement, params=None)
    if postgresql:
        for column in ("source_prefixes", "destination_prefixes"):
            schema_editor.execute(f"DROP INDEX requests_by_{column}")


def remove(_apps, schema_editor):
    if schema_editor.connection.vendor == "postgresql":
        for name in NAMES:
            schema_editor.execute(f"DROP TRIGGER {name} ON provisioning_premiumrequest")
        schema_editor.execute("DROP FUNCTION provisioning_prefixes_as_rows()")
        schema_editor.execute("DROP FUNCTION provisioning_sortable(text)")
        for column in ("source_prefixes", "destination_prefixes"):
            schema_editor.execute(
                f"CREATE INDEX requests_by_{column} ON provisioning_premiumrequest USING gin ({column})"
            )
    else:
        for name in (*NAMES, "prefixes_of_a_request_away"):
            schema_editor.execute(f"DROP TRIGGER {name}")


class Migration(migrations.Migration):
    dependencies = [("provisioning", "0054_what_routers_count")]
    operations = [
        migrations.CreateModel(
            name="RequestPrefix",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("side", models.CharField(choices=[("source", "source"), ("destination", "destination")], max_length=11)),
                ("network", inventory.fields.IPNetworkField()),
                ("request", models.ForeignKey(on_delete=django.db.models.deletion.DO_NOTHING, related_name="prefixes", to="provisioning.premiumrequest")),
            ],
            options={"indexes": [models.Index(fields=["network", "request"], name="prefixes_of_requests_in_order")]},
        ),
        migrations.RunPython(install, remove),
    ]
