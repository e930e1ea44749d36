"""Who may do what: roles that accounts hold, each in one source or in all of them."""

from __future__ import annotations

from django.conf import settings
from django.db import models
from django.db.models import Q
from django.db.models.functions import Now
from django.utils.translation import gettext_lazy as _


def source_or_every() -> models.CharField[str | None, str | None]:
    """The exact name of a source; None stands for every source."""
    return models.CharField(max_length=128, db_collation="C", null=True)


class Role(models.TextChoices):
    """What somebody is here. What each role may do is written in `selectors.access.TABLE`."""

    SUPPORT = "support", _("Support")
    INVESTIGATOR = "investigator", _("Investigator")
    AUDITOR = "auditor", _("Auditor")
    RULES_AUTHOR = "rules-author", _("Rules author")
    RULES_APPROVER = "rules-approver", _("Rules approver")
    ADMINISTRATOR = "administrator", _("Administrator")


class Grant(models.Model):
    """A role of an account in a source; `source` is None for every source, also those to come.

    A grant is never changed or deleted: it ends, once. Nobody granted it (`granted_by` is None)
    where the installation itself did: the first account, and those that were there before roles.
    """

    account = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.PROTECT, related_name="grants"
    )
    role = models.CharField(max_length=16, choices=Role.choices)
    source = source_or_every()
    granted_at = models.DateTimeField(db_default=Now())
    granted_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.PROTECT, related_name="+", null=True
    )
    ended_at = models.DateTimeField(null=True, default=None)
    ended_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.PROTECT, related_name="+", null=True
    )

    class Meta:
        constraints = (
            # Two, because PostgreSQL 14 takes each NULL for another source.
            models.UniqueConstraint(
                name="grant_once",
                fields=["account", "role", "source"],
                condition=Q(ended_at=None, source__isnull=False),
            ),
            models.UniqueConstraint(
                name="grant_everywhere_once",
                fields=["account", "role"],
                condition=Q(ended_at=None, source=None),
            ),
            models.CheckConstraint(name="grant_role_known", condition=Q(role__in=Role.values)),
            models.CheckConstraint(
                name="grant_ended_by_somebody",
                condition=Q(ended_at=None, ended_by=None) | Q(ended_at__isnull=False),
            ),
        )

    def __str__(self) -> str:
        return f"{self.account_id} {self.role} {self.source or 'every source'}"
