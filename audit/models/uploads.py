"""An upload is one file handed in; a chunk is a run of its lines, the unit of work."""

from django.conf import settings
from django.contrib.postgres.fields import ArrayField
from django.db import models
from django.db.models.functions import Now
from django.utils.translation import gettext_lazy as _


class UploadState(models.TextChoices):
    """How far an upload is. The last three are ends.

    `partly`: some lines could not be audited through our fault. `failed`: it gave no hand, or did
    not arrive whole; `error` says which.
    """

    RECEIVING = "receiving", _("Receiving")
    QUEUED = "queued", _("Queued")
    RUNNING = "running", _("Running")
    DONE = "done", _("Done")
    PARTLY = "partly", _("Partly done")
    FAILED = "failed", _("Failed")


class Upload(models.Model):
    """One file or request body as received.

    `byte_count` and `sha256` are of the bytes as they came, still compressed. `line_count` counts
    the lines that are not blank. Each line is counted as it was judged by itself, and two sums hold
    when an upload has ended:
    clean + consistent + discrepant + void + rejected + failed = lines, and
    new + duplicate + conflict + restated = clean + consistent + discrepant + void.
    `feed` is the feed that a file of records other than hand-log/1 came from, else empty;
    `feed_facts` is what stands for the whole of such a file: its source, what its importer assumed.
    `restatement` is the reason given by `received_by` where the file was announced as one, else
    empty; then `restated_count` lines brought a version that is to be the current one of its hand.
    `turned_count` is how many of the clean and void lines have a hand that is discrepant now,
    because of the hand before it; it may change whenever hands come in.
    `limited_to` are the sources whose hands the sender may hand in, None where all: a line of
    another source is refused.
    """

    name = models.CharField(max_length=255)
    received_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.PROTECT, null=True, related_name="+"
    )
    state = models.CharField(
        max_length=10, choices=UploadState.choices, default=UploadState.RECEIVING
    )
    limited_to = ArrayField(models.TextField(), null=True, default=None)
    restatement = models.TextField(blank=True, default="")
    feed = models.CharField(max_length=16, blank=True, default="")
    feed_facts = models.JSONField(default=dict)
    error = models.TextField(blank=True, default="")
    byte_count = models.BigIntegerField(default=0)
    sha256 = models.BinaryField(null=True, default=None)
    line_count = models.BigIntegerField(default=0)
    clean_count = models.BigIntegerField(default=0)
    consistent_count = models.BigIntegerField(default=0)
    discrepant_count = models.BigIntegerField(default=0)
    void_count = models.BigIntegerField(default=0)
    rejected_count = models.BigIntegerField(default=0)
    failed_count = models.BigIntegerField(default=0)
    turned_count = models.BigIntegerField(default=0)
    new_count = models.BigIntegerField(default=0)
    duplicate_count = models.BigIntegerField(default=0)
    conflict_count = models.BigIntegerField(default=0)
    restated_count = models.BigIntegerField(default=0)
    created_at = models.DateTimeField(db_default=Now())
    # The last sign of life while it is being received.
    touched_at = models.DateTimeField(db_default=Now())
    started_at = models.DateTimeField(null=True, default=None)
    finished_at = models.DateTimeField(null=True, default=None)

    class Meta:
        constraints = (
            models.CheckConstraint(
                name="upload_state_known", condition=models.Q(state__in=UploadState.values)
            ),
            models.CheckConstraint(
                name="restatement_by_somebody",
                condition=models.Q(restatement="") | models.Q(received_by__isnull=False),
            ),
            models.CheckConstraint(
                name="upload_counts_add_up",
                condition=models.Q(
                    line_count__gte=models.F("clean_count")
                    + models.F("consistent_count")
                    + models.F("discrepant_count")
                    + models.F("void_count")
                    + models.F("rejected_count")
                    + models.F("failed_count")
                ),
            ),
            models.CheckConstraint(
                name="upload_end_is_dated",
                condition=models.Q(
                    state__in=[UploadState.DONE, UploadState.PARTLY, UploadState.FAILED],
                    finished_at__isnull=False,
                )
                | models.Q(
                    state__in=[UploadState.RECEIVING, UploadState.QUEUED, UploadState.RUNNING],
                    finished_at__isnull=True,
                ),
            ),
        )
        indexes = (models.Index(fields=["sha256"], name="upload_by_sha256"),)

    def __str__(self) -> str:
        return f"{self.pk} {self.name}"


class UploadSource(models.Model):
    """A source that an upload has lines of; whoever may see all of them may see the upload.

    `has_hands` is False where only refused lines name it, as far as such a line is believed
    (FORMAT 6.2, 18).
    """

    upload = models.ForeignKey(
        Upload, on_delete=models.CASCADE, related_name="sources", db_index=False
    )
    source = models.CharField(max_length=128, db_collation="C")
    has_hands = models.BooleanField()

    class Meta:
        constraints = (
            models.UniqueConstraint(name="upload_source_once", fields=["upload", "source"]),
        )

    def __str__(self) -> str:
        return f"{self.upload_id}: {self.source}"


class ChunkState(models.TextChoices):
    """Whether a chunk waits, is being judged, or has ended."""

    QUEUED = "queued", _("Queued")
    RUNNING = "running", _("Running")
    DONE = "done", _("Done")
    FAILED = "failed", _("Failed")


class Chunk(models.Model):
    """Some whole lines of an upload, stored before they are queued.

    `payload` is zstd over what `services.payloads` writes; it is emptied once the chunk is done,
    for the bytes then stand with the hands and the refusals. `attempts` counts the leases given and
    tells their holders apart: only the last holder may store. `due_at` is when the chunk may be
    taken next.
    """

    upload = models.ForeignKey(Upload, on_delete=models.CASCADE, related_name="chunks")
    number = models.IntegerField()
    first_line = models.BigIntegerField()
    line_count = models.IntegerField()
    payload = models.BinaryField()
    state = models.CharField(max_length=10, choices=ChunkState.choices, default=ChunkState.QUEUED)
    attempts = models.IntegerField(default=0)
    due_at = models.DateTimeField(db_default=Now())
    lease_until = models.DateTimeField(null=True, default=None)
    queued_at = models.DateTimeField(db_default=Now())
    error = models.TextField(blank=True, default="")

    class Meta:
        constraints = (
            models.UniqueConstraint(name="chunk_once", fields=["upload", "number"]),
            models.CheckConstraint(
                name="chunk_state_known", condition=models.Q(state__in=ChunkState.values)
            ),
            models.CheckConstraint(
                name="chunk_lease_while_running",
                condition=models.Q(state=ChunkState.RUNNING, lease_until__isnull=False)
                | (~models.Q(state=ChunkState.RUNNING) & models.Q(lease_until__isnull=True)),
            ),
        )
        indexes = (
            models.Index(
                fields=["queued_at"],
                name="chunk_open",
                condition=models.Q(state__in=[ChunkState.QUEUED, ChunkState.RUNNING]),
            ),
        )

    def __str__(self) -> str:
        return f"{self.upload_id}/{self.number}"
