"""Walking all changes of a re-audit by their keys, page by page."""

from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = (("audit", "0019_saved_filters"),)

    operations = (
        migrations.AddIndex(
            model_name="reauditresult",
            index=models.Index(
                condition=models.Q(("is_changed", True)),
                fields=["reaudit", "id"],
                name="reaudit_result_in_order",
            ),
        ),
    )
