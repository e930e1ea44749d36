"""A sender's own name for one file, so that sending it twice is handing it in once."""

from django.db import models
from django.db.models.functions import Now

from audit.models.uploads import Upload


class Submission(models.Model):
    """One key of one sender and the upload that stands for it.

    `sender` keeps senders apart: `account:7` of the API, `watch` of the watched folder. The first
    request with a key opens the upload; one whose upload did not arrive whole is taken over by the
    next, so that the key of a broken transfer may be used again.
    """

    sender = models.CharField(max_length=64, db_collation="C")
    key = models.CharField(max_length=255, db_collation="C")
    upload = models.OneToOneField(Upload, on_delete=models.PROTECT, related_name="submission")
    created_at = models.DateTimeField(db_default=Now())

    class Meta:
        constraints = (models.UniqueConstraint(name="submission_once", fields=["sender", "key"]),)

    def __str__(self) -> str:
        return f"{self.sender} {self.key}"
