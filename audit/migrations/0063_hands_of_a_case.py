"""Each list of the hands of a case has an index of its own: none reads hands of other cases, or
those that left it."""

from django.db import migrations, models
from django.db.models import F, Q


class Migration(migrations.Migration):
    dependencies = (("audit", "0062_restatements_that_contradict"),)

    operations = (
        migrations.RemoveIndex(model_name="casehand", name="case_hand_by_time"),
        migrations.AddIndex(
            model_name="casehand",
            index=models.Index(
                F("case"),
                F("hand") * -1,
                name="case_hand_standing",
                condition=Q(left_at__isnull=True),
            ),
        ),
        migrations.AddIndex(
            model_name="casehand",
            index=models.Index(
                fields=["case", "-played_at", "-hand"],
                name="case_hand_by_time",
                condition=Q(left_at__isnull=True),
            ),
        ),
        migrations.AddIndex(
            model_name="casehand",
            index=models.Index(
                fields=["case", "-played_at", "-id"],
                name="case_hand_left",
                condition=Q(left_at__isnull=False),
            ),
        ),
    )
