"""What a program shows instead of a name and a password."""

from django.conf import settings
from django.contrib.postgres.fields import ArrayField
from django.db import models
from django.db.models.functions import Now


class ApiToken(models.Model):
    """A token of the API, which acts in the name of an account until it expires or is revoked.

    The token itself is kept nowhere: `sha256` is of its text, `prefix` its first characters, by
    which people tell tokens apart. `last_used_at` is exact to a minute. `acts` and `sources` are
    what it may be used for, None for whatever the account may do; they never give it more.
    """

    name = models.CharField(max_length=100)
    account = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.PROTECT, related_name="api_tokens"
    )
    prefix = models.CharField(max_length=16)
    sha256 = models.BinaryField()
    created_at = models.DateTimeField(db_default=Now())
    expires_at = models.DateTimeField()
    revoked_at = models.DateTimeField(null=True, default=None)
    last_used_at = models.DateTimeField(null=True, default=None)
    last_address = models.GenericIPAddressField(null=True, default=None)
    acts = ArrayField(models.CharField(max_length=40), null=True, default=None)
    sources = ArrayField(
        models.CharField(max_length=128, db_collation="C"), null=True, default=None
    )
    created_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.PROTECT, related_name="+", null=True
    )

    class Meta:
        constraints = (
            models.UniqueConstraint(name="api_token_once", fields=["sha256"]),
            models.UniqueConstraint(
                name="api_token_name_in_use_once",
                fields=["name"],
                condition=models.Q(revoked_at__isnull=True),
            ),
        )

    def __str__(self) -> str:
        return f"{self.name} {self.prefix}…"
