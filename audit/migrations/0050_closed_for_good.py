"""Who was shown a first password of which account; and what a closed account had is ended for good.

Until now a closed account that was opened again had its roles still, and the links that it had
shared opened once more. Links that a command takes back are taken back by nobody.
"""

import django.db.models.deletion
import django.db.models.functions.datetime
from django.conf import settings
from django.db import migrations, models

TABLE = "audit_firstpassword"
# Who opened, reopened and reset is in the journal as far as it is kept.
FROM_THE_JOURNAL = f"""
INSERT INTO {TABLE} (account_id, how, given_at, given_by_id)
SELECT u.id,
    CASE j.detail ->> 'did' WHEN 'opened' THEN 'opened' WHEN 'opened again' THEN 'reopened'
        ELSE 'reset' END,
    j.at, j.account_id
FROM audit_journal j JOIN auth_user u ON j.subject = 'account:' || u.id
WHERE j.act = 'manage-accounts'
    AND j.detail ->> 'did' IN ('opened', 'opened again', 'password reset')
ORDER BY j.id
"""  # noqa: S608 - from constants
END_GRANTS = """
UPDATE audit_grant SET ended_at = now()
WHERE ended_at IS NULL AND account_id IN (SELECT id FROM auth_user WHERE NOT is_active)
"""
REVOKE_LINKS = """
UPDATE audit_sharelink SET revoked_at = now()
WHERE revoked_at IS NULL AND created_by_id IN (SELECT id FROM auth_user WHERE NOT is_active)
"""


def trigger(name: str, when: str, what: str) -> migrations.RunSQL:
    each = "STATEMENT" if "TRUNCATE" in when else "ROW"
    return migrations.RunSQL(
        f"CREATE TRIGGER {name} {when} ON {TABLE} FOR EACH {each} EXECUTE FUNCTION {what}()",
        f"DROP TRIGGER {name} ON {TABLE}",
    )


class Migration(migrations.Migration):
    dependencies = (
        ("audit", "0049_decided_by_people"),
        migrations.swappable_dependency(settings.AUTH_USER_MODEL),
    )

    operations = (
        migrations.CreateModel(
            name="FirstPassword",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                (
                    "how",
                    models.CharField(
                        choices=[
                            ("opened", "Opened"),
                            ("reopened", "Opened again"),
                            ("reset", "Password reset"),
                        ],
                        max_length=8,
                    ),
                ),
                (
                    "given_at",
                    models.DateTimeField(db_default=django.db.models.functions.datetime.Now()),
                ),
                (
                    "account",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="first_passwords",
                        to=settings.AUTH_USER_MODEL,
                    ),
                ),
                (
                    "given_by",
                    models.ForeignKey(
                        null=True,
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="+",
                        to=settings.AUTH_USER_MODEL,
                    ),
                ),
            ],
            options={
                "constraints": [
                    models.CheckConstraint(
                        condition=models.Q(("how__in", ["opened", "reopened", "reset"])),
                        name="first_password_how_known",
                    )
                ],
            },
        ),
        trigger("append_only", "BEFORE UPDATE OR DELETE", "audit_refuse_rewrite"),
        trigger("never_emptied", "BEFORE TRUNCATE", "audit_refuse_truncate"),
        migrations.RemoveConstraint(model_name="sharelink", name="share_link_revoked_by_someone"),
        migrations.AddConstraint(
            model_name="sharelink",
            constraint=models.CheckConstraint(
                condition=models.Q(
                    models.Q(("revoked_at", None), ("revoked_by", None)),
                    ("revoked_at__isnull", False),
                    _connector="OR",
                ),
                name="share_link_revoked_by_someone",
            ),
        ),
        migrations.RunSQL(FROM_THE_JOURNAL, migrations.RunSQL.noop),
        migrations.RunSQL(END_GRANTS, migrations.RunSQL.noop),
        migrations.RunSQL(REVOKE_LINKS, migrations.RunSQL.noop),
    )
