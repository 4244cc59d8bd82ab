from django.db import migrations, models


class Migration(migrations.Migration):

    dependencies = [
        ('inventory', '0005_core_links_down'),
    ]

    operations = [
        migrations.AlterField(
            model_name='router',
            name='driver',
            field=models.CharField(
                choices=[('netmiko', 'netmiko'), ('napalm', 'napalm'), ('asyncssh', 'asyncssh'), ('auto', 'auto')],
                default='netmiko',
                max_length=16,
            ),
        ),
    ]
