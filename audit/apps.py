from django.apps import AppConfig


class AuditConfig(AppConfig):
    name = "audit"
    label = "audit"
    verbose_name = "Tilecourt"
    default_auto_field = "django.db.models.BigAutoField"
