"""Names of players: every one that was seen, which may be one person's, and what a person decided.

Names are compared code point by code point; nothing here changes a hand.
"""

from __future__ import annotations

from django.conf import settings
from django.db import models
from django.db.models.functions import Now

from audit.models.hands import Hand, exact_name
from audit.models.uploads import Upload


class Player(models.Model):
    """A name that was seen at a source. Names of one `skeleton` look alike to a reader."""

    source = exact_name()
    name = exact_name()
    skeleton = models.TextField(db_collation="C")
    is_unusual = models.BooleanField()
    noted_at = models.DateTimeField(db_default=Now())

    class Meta:
        constraints = (models.UniqueConstraint(name="player_once", fields=["source", "name"]),)
        indexes = (
            models.Index(fields=["skeleton", "source", "name"], name="player_by_look"),
            models.Index(
                fields=["source", "name"],
                name="player_unusual",
                condition=models.Q(is_unusual=True),
            ),
        )

    def __str__(self) -> str:
        return f"{self.source} {self.name}"


class NamedUpload(models.Model):
    """An upload whose names have been noted."""

    upload = models.OneToOneField(
        Upload, on_delete=models.CASCADE, primary_key=True, related_name="named"
    )

    def __str__(self) -> str:
        return str(self.upload_id)


class Rename(models.Model):
    """A name that probably took the place of another: the same seat, the next hand, the same money.

    `hand` is the first with the new name. It is a hint and changes nothing.
    """

    source = exact_name()
    table = exact_name()
    seat = models.SmallIntegerField()
    old_name = exact_name()
    new_name = exact_name()
    hand = models.ForeignKey(
        Hand, on_delete=models.DO_NOTHING, related_name="+", db_constraint=False, db_index=False
    )
    found_at = models.DateTimeField(db_default=Now())

    class Meta:
        constraints = (
            models.UniqueConstraint(name="rename_once", fields=["source", "old_name", "new_name"]),
        )

    def __str__(self) -> str:
        return f"{self.source} {self.old_name}: {self.new_name}"


class NameDecision(models.Model):
    """A person said that two names are one player's, or took that back; the newest holds."""

    source = exact_name()
    name = exact_name()
    other = exact_name()
    is_one = models.BooleanField()
    reason = models.TextField()
    made_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.PROTECT, related_name="+"
    )
    made_at = models.DateTimeField(db_default=Now())

    class Meta:
        constraints = (
            models.CheckConstraint(
                name="name_decision_of_two",
                condition=models.Q(name__lt=models.F("other")),
            ),
            models.CheckConstraint(name="name_decision_has_reason", condition=~models.Q(reason="")),
        )
        indexes = (
            models.Index(fields=["source", "name", "other", "-id"], name="name_decision_newest"),
        )

    def __str__(self) -> str:
        return f"{self.source} {self.name}, {self.other}: {self.is_one}"
