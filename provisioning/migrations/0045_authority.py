
import django.db.models.deletion
from django.conf import settings
from django.db import migrations, models

_NOC, _BOTH = "noc", ("noc-operator", "noc-approver")


def _to_two(apps, schema_editor):
    """Who could do all of the NOC's work is operator and approver from now on."""
    group = apps.get_model("auth", "Group")
    of_old = group.objects.filter(name=_NOC).first()
    if of_old is None:
        return
    new = [group.objects.get_or_create(name=name)[0] for name in _BOTH]
    for user in of_old.user_set.all():
        user.groups.add(*new)
    of_old.delete()


def _to_one(apps, schema_editor):
    """The other way: whoever is one of the two could do all of it before."""
    group = apps.get_model("auth", "Group")
    users = [user for each in group.objects.filter(name__in=_BOTH) for user in each.user_set.all()]
    if users:
        old = group.objects.get_or_create(name=_NOC)[0]
        for user in users:
            user.groups.add(old)
    group.objects.filter(name__in=(*_BOTH, "nren-reader", "administrator")).delete()


class Migration(migrations.Migration):

    dependencies = [
        ('provisioning', '0044_reverting'),
        ("auth", "0012_alter_user_first_name_max_length"),
        migrations.swappable_dependency(settings.AUTH_USER_MODEL),
    ]

    operations = [
        migrations.AddField(
            model_name='apitoken',
            name='issued_by',
            field=models.ForeignKey(blank=True, help_text='Who issued it: what is asked with it counts as theirs too. Empty: nobody who gave a name.', null=True, on_delete=django.db.models.deletion.PROTECT, related_name='+', to=settings.AUTH_USER_MODEL),
        ),
        migrations.AddField(
            model_name='approval',
            name='issuer',
            field=models.ForeignKey(blank=True, help_text='Who issued the token with which it was given.', null=True, on_delete=django.db.models.deletion.PROTECT, related_name='+', to=settings.AUTH_USER_MODEL),
        ),
        migrations.AddField(
            model_name='approvedlines',
            name='issuer',
            field=models.ForeignKey(blank=True, help_text='Who issued the token with which it was given.', null=True, on_delete=django.db.models.deletion.PROTECT, related_name='+', to=settings.AUTH_USER_MODEL),
        ),
        migrations.AddField(
            model_name='auditevent',
            name='account',
            field=models.CharField(blank=True, default='', help_text='The account of the operating system that typed it, where it was a command.', max_length=80),
        ),
        migrations.AddField(
            model_name='change',
            name='issuer',
            field=models.ForeignKey(blank=True, help_text='Who issued the token with which it was planned.', null=True, on_delete=django.db.models.deletion.PROTECT, related_name='+', to=settings.AUTH_USER_MODEL),
        ),
        migrations.AddField(
            model_name='modification',
            name='behind',
            field=models.JSONField(default=list, help_text='Who ever asked for it as it is: pairs of the key of a user and of who issued the token that was used, or null.'),
        ),
        migrations.AddField(
            model_name='premiumrequest',
            name='behind',
            field=models.JSONField(default=list, help_text='Who ever asked for it as it is: pairs of the key of a user and of who issued the token that was used, or null.'),
        ),
        migrations.AddField(
            model_name='series',
            name='behind',
            field=models.JSONField(default=list, help_text='Who ever asked for it as it is: pairs of the key of a user and of who issued the token that was used, or null.'),
        ),
        migrations.AlterField(
            model_name='notification',
            name='topic',
            field=models.CharField(choices=[('bare-interface', 'Interface without a policy'), ('open-edge', 'Open edge under a live core queue'), ('wrong-router', 'Another router answers'), ('push-unknown', 'Push broken off'), ('push-failed', 'Push failed'), ('push-taken-back', 'Push taken back'), ('push-stale', 'Push gone stale'), ('not-saved', 'Verified, not saved'), ('router-differs', 'Router not as intended'), ('router-unread', 'Router not read'), ('pushes-stopped', 'Every push stopped'), ('change-paused', 'Change paused'), ('break-glass', 'Done alone by break-glass'), ('interface-closed', 'Interface has a policy again'), ('request-decided', 'Request decided'), ('test', 'Test')], max_length=20),
        ),
        migrations.CreateModel(
            name='BreakGlass',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('deed', models.CharField(choices=[('decide', 'Decided'), ('approve', 'Approved')], max_length=20)),
                ('at', models.DateTimeField()),
                ('reason', models.TextField(max_length=2000)),
                ('objections', models.JSONField(default=list)),
                ('acknowledged_at', models.DateTimeField(blank=True, null=True)),
                ('acknowledgement', models.TextField(blank=True, max_length=2000)),
                ('acknowledged_by', models.ForeignKey(blank=True, null=True, on_delete=django.db.models.deletion.PROTECT, related_name='+', to=settings.AUTH_USER_MODEL)),
                ('change', models.ForeignKey(blank=True, null=True, on_delete=django.db.models.deletion.CASCADE, related_name='broken_glass', to='provisioning.change')),
                ('request', models.ForeignKey(blank=True, null=True, on_delete=django.db.models.deletion.CASCADE, related_name='broken_glass', to='provisioning.premiumrequest')),
                ('series', models.ForeignKey(blank=True, null=True, on_delete=django.db.models.deletion.CASCADE, related_name='broken_glass', to='provisioning.series')),
                ('user', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='+', to=settings.AUTH_USER_MODEL)),
            ],
            options={
                'ordering': ['-pk'],
                'indexes': [models.Index(condition=models.Q(('acknowledged_at', None)), fields=['id'], name='broken_glass_standing')],
                'constraints': [models.CheckConstraint(condition=models.Q(models.Q(('change', None), ('request__isnull', False), ('series', None)), models.Q(('change', None), ('request', None), ('series__isnull', False)), models.Q(('change__isnull', False), ('request', None), ('series', None)), _connector='OR'), name='a_break_glass_is_about_one_thing'), models.CheckConstraint(condition=models.Q(('acknowledged_by', None), models.Q(('acknowledged_by', models.F('user')), _negated=True), _connector='OR'), name='a_break_glass_is_acknowledged_by_another')],
            },
        ),
        migrations.RunPython(_to_two, _to_one, elidable=False),
    ]
