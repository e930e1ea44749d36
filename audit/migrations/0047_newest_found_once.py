"""With which hand the latest ones begin is found in the first step of gathering, and kept then."""

from django.db import migrations

CREATE = """
CREATE TRIGGER newest_kept BEFORE UPDATE OF newest_max, played_from, hand_from ON audit_reaudit
FOR EACH ROW WHEN ({condition}) EXECUTE FUNCTION audit_refuse_rewrite()
"""
DROP = "DROP TRIGGER newest_kept ON audit_reaudit"
KEPT = CREATE.format(
    condition="(OLD.newest_max, OLD.played_from, OLD.hand_from)"
    " IS DISTINCT FROM (NEW.newest_max, NEW.played_from, NEW.hand_from)"
)
KEPT_ONCE_FOUND = CREATE.format(
    condition="OLD.newest_max IS DISTINCT FROM NEW.newest_max OR OLD.played_from IS NOT NULL AND"
    " (OLD.played_from, OLD.hand_from) IS DISTINCT FROM (NEW.played_from, NEW.hand_from)"
)


class Migration(migrations.Migration):
    dependencies = (("audit", "0046_replacements"),)

    operations = (
        migrations.RunSQL(DROP, KEPT),
        migrations.RunSQL(KEPT_ONCE_FOUND, DROP),
    )
