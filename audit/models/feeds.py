"""What is known of a source that sends an operator's feed instead of hand logs.

A record of a feed lacks facts (`replay.GAPS`). Which ones is told again from its bytes whenever it
is asked for; here it stands so that a source's page can count.
"""

from __future__ import annotations

from django.contrib.postgres.fields import ArrayField
from django.db import models
from django.db.models.functions import Now

from audit.models.hands import Hand, HandVersion, exact_name
from audit.models.uploads import Upload


class PartialRecord(models.Model):
    """The gaps of one version of a hand, as they were when it came first."""

    version = models.OneToOneField(
        HandVersion, on_delete=models.DO_NOTHING, related_name="+", db_constraint=False
    )
    hand = models.ForeignKey(
        Hand, on_delete=models.DO_NOTHING, related_name="+", db_constraint=False, db_index=False
    )
    source = exact_name()
    feed = models.CharField(max_length=16)
    gaps = ArrayField(models.CharField(max_length=24))

    class Meta:
        indexes = (models.Index(fields=["source", "version"], name="partial_by_source"),)

    def __str__(self) -> str:
        return f"{self.version_id}: {', '.join(self.gaps)}"


class FeedDrift(models.Model):
    """A field that a feed began to carry and its importer does not know.

    `count` are the records that had it, a record that came twice twice; `upload` and `line` are
    where it was seen first, `example` is its value there as JSON, cut where it is long.
    """

    source = exact_name()
    feed = models.CharField(max_length=16)
    field = models.CharField(max_length=200)
    count = models.BigIntegerField()
    upload = models.ForeignKey(Upload, on_delete=models.PROTECT, related_name="+", db_index=False)
    line = models.BigIntegerField()
    example = models.CharField(max_length=200)
    first_seen_at = models.DateTimeField(db_default=Now())

    class Meta:
        constraints = (
            models.UniqueConstraint(name="feed_drift_once", fields=["source", "feed", "field"]),
        )

    def __str__(self) -> str:
        return f"{self.source} {self.feed} {self.field}"
