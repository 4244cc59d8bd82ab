"""Views of lists, kept under a name."""

import django.db.models.deletion
from django.conf import settings
from django.db import migrations, models


class Migration(migrations.Migration):

    dependencies = [
        ('provisioning', '0061_quiet_looks_of_usage'),
        migrations.swappable_dependency(settings.AUTH_USER_MODEL),
    ]

    operations = [
        migrations.CreateModel(
            name='SavedView',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('page', models.CharField(max_length=40)),
                ('name', models.CharField(max_length=60)),
                ('query', models.TextField(blank=True)),
                ('shared', models.BooleanField(default=False)),
                ('edition', models.PositiveIntegerField(default=1)),
                ('edited_at', models.DateTimeField()),
                ('edited_by', models.ForeignKey(null=True, on_delete=django.db.models.deletion.SET_NULL, related_name='+', to=settings.AUTH_USER_MODEL)),
                ('owner', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='saved_views', to=settings.AUTH_USER_MODEL)),
            ],
            options={
                'ordering': ['name', 'pk'],
            },
        ),
        migrations.CreateModel(
            name='ChosenView',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('page', models.CharField(max_length=40)),
                ('user', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='chosen_views', to=settings.AUTH_USER_MODEL)),
                ('view', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='chosen_by', to='provisioning.savedview')),
            ],
        ),
        migrations.AddConstraint(
            model_name='savedview',
            constraint=models.UniqueConstraint(condition=models.Q(('shared', False)), fields=('owner', 'page', 'name'), name='a_person_calls_one_view_so'),
        ),
        migrations.AddConstraint(
            model_name='savedview',
            constraint=models.UniqueConstraint(condition=models.Q(('shared', True)), fields=('page', 'name'), name='one_shared_view_is_called_so'),
        ),
        migrations.AddConstraint(
            model_name='chosenview',
            constraint=models.UniqueConstraint(fields=('user', 'page'), name='a_list_opens_with_one_view'),
        ),
    ]
