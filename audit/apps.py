from django.apps import AppConfig

import replay


class AuditConfig(AppConfig):
    name = "audit"
    label = "audit"
    verbose_name = "Tilecourt"
    default_auto_field = "django.db.models.BigAutoField"

    def ready(self) -> None:
        # Late, because settings must stand before a language can be asked for.
        from audit.web.language import told  # noqa: PLC0415

        replay.tell_by(told)
