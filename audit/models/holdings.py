"""What lay where in a hand, kept to find hands by it. It is made from the records and can be made
again: nothing of it is evidence."""

from __future__ import annotations

from django.contrib.postgres.fields import ArrayField
from django.contrib.postgres.indexes import GinIndex
from django.db import models

from audit.models.hands import HandVersion
from audit.models.uploads import Upload


class Holding(models.Model):
    """One record: `features` say which tiles and combinations lay where, as numbers of
    `selectors.holdings.feature`; `nets` are the logged nets in minor units, by seat where the game
    has seats, else by player in the order of the log. Empty where nothing is logged.
    """

    version = models.OneToOneField(
        HandVersion,
        on_delete=models.DO_NOTHING,
        primary_key=True,
        db_constraint=False,
        related_name="holding",
    )
    features = ArrayField(models.SmallIntegerField())
    # An amount has up to 23 digits in minor units, and a player may have thousands of wagers.
    nets = ArrayField(models.DecimalField(max_digits=30, decimal_places=0))

    class Meta:
        indexes = (
            GinIndex(fields=["features"], name="holding_by_feature"),
            GinIndex(fields=["nets"], name="holding_by_net"),
        )

    def __str__(self) -> str:
        return str(self.version_id)


class SearchedUpload(models.Model):
    """An upload whose hands can be found by what lay where."""

    upload = models.OneToOneField(
        Upload, on_delete=models.CASCADE, primary_key=True, related_name="searched"
    )

    def __str__(self) -> str:
        return str(self.upload_id)
