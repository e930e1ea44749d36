"""Tables, and which of their hands are still to be compared with the hand before them.

A touch is written in the transaction that stores or changes a hand, and goes when its hands have
been compared: what is queued is only a nudge. Writing one locks nothing that another writer wants.
"""

from __future__ import annotations

from django.db import models
from django.db.models.functions import Now

from audit.models.hands import exact_name
from audit.models.uploads import Upload


class Table(models.Model):
    """A table of a source. Its row is the lock under which its hands are compared."""

    source = exact_name()
    name = exact_name()

    class Meta:
        constraints = (models.UniqueConstraint(name="table_once", fields=["source", "name"]),)

    def __str__(self) -> str:
        return f"{self.source} {self.name}"


class TableTouch(models.Model):
    """Hands of a table came in or changed, the first played at `since`, the last at `until`.

    `upload` brought them; None where it was no upload.
    """

    table = models.ForeignKey(
        Table, on_delete=models.CASCADE, related_name="touches", db_index=False
    )
    upload = models.ForeignKey(Upload, on_delete=models.CASCADE, null=True, related_name="+")
    since = models.DateTimeField()
    until = models.DateTimeField()
    queued_at = models.DateTimeField(db_default=Now())

    class Meta:
        constraints = (
            models.CheckConstraint(
                name="touch_in_order", condition=models.Q(since__lte=models.F("until"))
            ),
        )
        indexes = (models.Index(fields=["table", "since", "id"], name="touch_by_table"),)

    def __str__(self) -> str:
        return f"{self.table_id} {self.since} to {self.until}"
