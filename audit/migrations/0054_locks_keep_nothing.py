"""What the library that counts wrong tries kept of addresses and forms is forgotten.

It had whole queries of addresses and, of one's own page, what was typed as a new password.
"""

from django.db import migrations


class Migration(migrations.Migration):
    dependencies = (
        ("audit", "0053_reports_and_reasons_erased"),
        ("axes", "0010_accessattemptexpiration"),
    )

    operations = (
        migrations.RunSQL(
            "UPDATE axes_accessattempt SET get_data = '', post_data = ''", migrations.RunSQL.noop
        ),
    )
