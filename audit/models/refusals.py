"""A refusal is a line that gave no hand, kept with its place and the reason."""

from django.db import models

from audit.models.uploads import Upload


class Refusal(models.Model):
    """One line that could not be read as a hand.

    `offset` is the byte at which the line starts after unpacking. `place` is a path such as
    `$.seats[0].carry_in`. `raw` is zstd over the exact line, None where its bytes were not kept (a
    line over the limit, a broken stream); `sha256` is None for a broken stream. `is_our_fault`:
    the line made the audit itself fail and waits for a corrected engine.
    """

    upload = models.ForeignKey(
        Upload, on_delete=models.CASCADE, related_name="refusals", db_index=False
    )
    line = models.BigIntegerField()
    offset = models.BigIntegerField()
    place = models.TextField()
    reason = models.TextField()
    raw = models.BinaryField(null=True)
    sha256 = models.BinaryField(null=True)
    is_our_fault = models.BooleanField(default=False)

    class Meta:
        constraints = (models.UniqueConstraint(name="refusal_once", fields=["upload", "line"]),)

    def __str__(self) -> str:
        return f"{self.upload_id}:{self.line} {self.place}"
