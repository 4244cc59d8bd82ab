from django.db import migrations, models


class Migration(migrations.Migration):

    dependencies = [
        ('provisioning', '0048_requests_in_order'),
    ]

    operations = [
        migrations.AddIndex(
            model_name='apitoken',
            index=models.Index(condition=models.Q(('revoked_at', None)), fields=['id'], name='tokens_not_revoked'),
        ),
        migrations.AddIndex(
            model_name='apitoken',
            index=models.Index(condition=models.Q(('revoked_at', None)), fields=['user', 'id'], name='tokens_of_a_user_not_revoked'),
        ),
        migrations.AddIndex(
            model_name='apitoken',
            index=models.Index(condition=models.Q(('revoked_at', None)), fields=['nren', 'id'], name='tokens_of_an_nren_not_revoked'),
        ),
    ]
