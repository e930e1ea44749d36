"""A list of hands that somebody wants to come back to."""

from django.conf import settings
from django.db import models
from django.db.models.functions import Now


class SavedFilter(models.Model):
    """A list of hands under a name, for one account. `query` is such as `verdict=void&table=T4`."""

    account = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.CASCADE, related_name="+", db_index=False
    )
    name = models.CharField(max_length=60)
    query = models.TextField()
    created_at = models.DateTimeField(db_default=Now())

    class Meta:
        constraints = (
            models.UniqueConstraint(name="saved_filter_once", fields=["account", "name"]),
        )

    def __str__(self) -> str:
        return f"{self.account_id} {self.name}"
