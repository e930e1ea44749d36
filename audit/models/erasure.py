"""Forgetting a person: the vault of salts, who was erased by whom, and which rows were rewritten.

The leaves of the log hold no name and no hash of one, only commitments (`replay.evidence.veil`).
The salts that open them lie in the vault, which is no evidence: taking a salt out of it makes a
name unknowable, and no leaf changes.
"""

from __future__ import annotations

from django.conf import settings
from django.db import models
from django.db.models import Q
from django.db.models.functions import Now
from django.utils.translation import gettext_lazy as _

from audit.models.evidence import LeafKind
from audit.models.hands import exact_name


class NameSalt(models.Model):
    """The salt of a name at a source. With it a name's token can be made; it goes with the name."""

    source = exact_name()
    name = exact_name()
    salt = models.BinaryField()

    class Meta:
        constraints = (models.UniqueConstraint(name="name_salt_once", fields=["source", "name"]),)

    def __str__(self) -> str:
        return f"{self.source} {self.name}"


class RowSalt(models.Model):
    """The salt of a row whose words or hashes may betray a name: a file, a claim."""

    kind = models.SmallIntegerField(choices=LeafKind.choices)
    row = models.BigIntegerField()
    salt = models.BinaryField()

    class Meta:
        constraints = (models.UniqueConstraint(name="row_salt_once", fields=["kind", "row"]),)

    def __str__(self) -> str:
        return f"{LeafKind(self.kind).label} {self.row}"


class ErasureState(models.TextChoices):
    """How far an erasure is; it may be gone on with until it is done."""

    RUNNING = "running", _("Running")
    DONE = "done", _("Done")


class Erasure(models.Model):
    """An act by which the name of a person was erased: by whom, when, why, and on what ground.

    `token` stands for the name from then on. `counts` says how many rows were rewritten by table,
    `left` how many rows of a kind keep something that only a person can judge, in words.
    """

    source = exact_name()
    token = models.CharField(max_length=64, db_collation="C")
    reason = models.TextField()
    ground = models.TextField()
    asked_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.PROTECT, related_name="+"
    )
    state = models.CharField(
        max_length=8, choices=ErasureState.choices, default=ErasureState.RUNNING
    )
    started_at = models.DateTimeField(db_default=Now())
    finished_at = models.DateTimeField(null=True, default=None)
    counts = models.JSONField(default=dict)
    left = models.JSONField(default=dict)

    class Meta:
        constraints = (
            models.UniqueConstraint(name="erasure_once", fields=["source", "token"]),
            models.CheckConstraint(
                name="erasure_state_known", condition=Q(state__in=ErasureState.values)
            ),
            models.CheckConstraint(
                name="erasure_has_reason", condition=~Q(reason="") & ~Q(ground="")
            ),
        )

    def __str__(self) -> str:
        return f"E-{self.pk}"


class ErasedRow(models.Model):
    """A row that an erasure rewrote. `kept` are the commitments of its leaf, in hexadecimal, which
    nobody can make again; `sha256` is over the row's leaf fields as they were left."""

    erasure = models.ForeignKey(Erasure, on_delete=models.PROTECT, related_name="rows")
    kind = models.SmallIntegerField(choices=LeafKind.choices)
    row = models.BigIntegerField()
    kept = models.JSONField()
    sha256 = models.BinaryField()

    class Meta:
        constraints = (
            models.UniqueConstraint(name="erased_row_once", fields=["erasure", "kind", "row"]),
        )
        indexes = (models.Index(fields=["kind", "row", "-id"], name="erased_row_newest"),)

    def __str__(self) -> str:
        return f"{self.erasure_id}: {LeafKind(self.kind).label} {self.row}"
