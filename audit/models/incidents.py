"""What went wrong with the store or the clock, as it was noticed. Rows are only ever added."""

from __future__ import annotations

from django.db import models
from django.db.models import Q
from django.db.models.functions import Now


class IncidentKind(models.TextChoices):
    """What was noticed."""

    ALTERED = "altered", "Altered row"
    CLOCK = "clock", "Clock step"


class Incident(models.Model):
    """One thing, noticed at one time. `place` is the row or the machine that it is about."""

    kind = models.CharField(max_length=10, choices=IncidentKind.choices)
    noticed_at = models.DateTimeField(db_default=Now())
    place = models.TextField()
    detail = models.TextField()

    class Meta:
        constraints = (
            models.CheckConstraint(
                name="incident_kind_known", condition=Q(kind__in=IncidentKind.values)
            ),
        )
        indexes = (models.Index(fields=["noticed_at"], name="incident_by_time"),)

    def __str__(self) -> str:
        return f"{self.pk} {self.kind}: {self.place}"
