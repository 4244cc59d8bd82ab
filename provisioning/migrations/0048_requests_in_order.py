from django.db import migrations, models


class Migration(migrations.Migration):

    dependencies = [
        ('provisioning', '0047_tokens'),
    ]

    operations = [
        migrations.AddIndex(
            model_name='premiumrequest',
            index=models.Index(fields=['start', 'id'], name='requests_by_start'),
        ),
        migrations.AddIndex(
            model_name='premiumrequest',
            index=models.Index(fields=['end', 'id'], name='requests_by_end'),
        ),
        migrations.AddIndex(
            model_name='premiumrequest',
            index=models.Index(condition=models.Q(('end__isnull', True)), fields=['id'], name='requests_without_end'),
        ),
        migrations.AddIndex(
            model_name='premiumrequest',
            index=models.Index(fields=['rate_bps', 'id'], name='requests_by_rate'),
        ),
        migrations.AddIndex(
            model_name='premiumrequest',
            index=models.Index(fields=['submitted_at', 'id'], name='requests_by_submission'),
        ),
    ]
