"""Links by which somebody without an account sees one hand as one viewer saw it."""

from django.conf import settings
from django.db import models
from django.db.models.functions import Now

from audit.models.hands import Hand


class ShareLink(models.Model):
    """A link to one hand for one viewer, until it ends or is revoked.

    `viewpoint` is `public` or `seat-0` to `seat-3`; nobody without an account sees every tile. The
    secret is kept nowhere: `sha256` is of its text, `prefix` its first characters, by which people
    tell links apart. A row is never changed but for being revoked, once; by nobody (`revoked_by` is
    None) where a command closed its maker's account.
    """

    hand = models.ForeignKey(
        Hand, on_delete=models.DO_NOTHING, db_constraint=False, related_name="share_links"
    )
    viewpoint = models.CharField(max_length=16)
    reason = models.TextField()
    prefix = models.CharField(max_length=16)
    sha256 = models.BinaryField()
    created_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.PROTECT, related_name="share_links"
    )
    created_at = models.DateTimeField(db_default=Now())
    expires_at = models.DateTimeField()
    revoked_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.PROTECT, null=True, related_name="+"
    )
    revoked_at = models.DateTimeField(null=True, default=None)

    class Meta:
        constraints = (
            models.UniqueConstraint(name="share_link_once", fields=["sha256"]),
            models.CheckConstraint(
                name="share_link_revoked_by_someone",
                condition=models.Q(revoked_at=None, revoked_by=None)
                | models.Q(revoked_at__isnull=False),
            ),
        )

    def __str__(self) -> str:
        return f"{self.prefix}… as {self.viewpoint}"
