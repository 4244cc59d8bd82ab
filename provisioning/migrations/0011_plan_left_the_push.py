from django.db import migrations


class Migration(migrations.Migration):

    dependencies = [
        ('provisioning', '0010_plans_as_rows'),
    ]

    operations = [
        migrations.RemoveField(
            model_name='routerpush',
            name='plan',
        ),
    ]
