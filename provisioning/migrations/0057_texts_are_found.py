from django.db import migrations

# A text within a contact or a reason is found by its groups of three letters, where PostgreSQL has the extension for it (which
# whoever owns the database may create); without it each of these texts is looked at. SQLite looks at each.
OF = ("contact", "reason")


def install(_apps, schema_editor):
    if schema_editor.connection.vendor != "postgresql":
        return
    with schema_editor.connection.cursor() as cursor:
        cursor.execute(
            """
            SELECT EXISTS (SELECT FROM pg_extension WHERE extname = 'pg_trgm')
                OR (EXISTS (SELECT FROM pg_available_extension_versions WHERE name = 'pg_trgm' AND (trusted
                        OR (SELECT rolsuper FROM pg_roles WHERE rolname = current_user)))
                    AND has_database_privilege(current_database(), 'CREATE'))
            """
        )
        if not cursor.fetchone()[0]:
            return
    schema_editor.execute("CREATE EXTENSION IF NOT EXISTS pg_trgm")
    for column in OF:
        # As Django writes `icontains`.
        schema_editor.execute(
            f"CREATE INDEX requests_by_{column} ON provisioning_premiumrequest USING gin (upper({column}::text) gin_trgm_ops)"
        )


def remove(_apps, schema_editor):
    if schema_editor.connection.vendor == "postgresql":
        for column in OF:
            schema_editor.execute(f"DROP INDEX IF EXISTS requests_by_{column}")


class Migration(migrations.Migration):
    dependencies = [("provisioning", "0056_audit_of_a_person")]
    operations = [migrations.RunPython(install, remove)]
