"""The same file under the same key is one upload, whoever sends it how often.

A key stands for the first file that came whole under it. While that one is still arriving nobody
can say whether a second is the same, so the second is told to wait and none of it is read.
"""

from __future__ import annotations

from dataclasses import dataclass

from audit.models import Submission, Upload, UploadState


@dataclass(frozen=True, slots=True, kw_only=True)
class SubmissionKey:
    """A sender's name for a file; `sender` keeps the keys of different senders apart."""

    sender: str
    key: str


class SubmissionInProgress(Exception):
    """The first file under this key is still arriving; its text is a sentence for the sender."""


class SubmissionKeyReused(Exception):
    """Another file came whole under this key; its text is a sentence for the sender."""


class SubmissionKnown(Exception):
    """A file came whole under this key: `upload` is what became of it."""

    def __init__(self, upload: Upload) -> None:
        super().__init__(f"This key stands for upload {upload.pk}.")
        self.upload = upload


def claim_key(key: SubmissionKey, upload_id: int) -> None:
    """Make a key stand for an upload that has just been opened, in the caller's transaction.

    Raises: SubmissionInProgress, SubmissionKnown; the caller then rolls the new upload back.
    """
    claimed, is_new = Submission.objects.select_related("upload").get_or_create(
        sender=key.sender, key=key.key, defaults={"upload_id": upload_id}
    )
    if is_new:
        return
    known = claimed.upload
    if known.state == UploadState.FAILED and known.sha256 is None:
        # It did not arrive whole. Of two who come to take its place one wins.
        old = Submission.objects.filter(pk=claimed.pk, upload_id=known.pk)
        if old.update(upload_id=upload_id):
            return
        raise SubmissionInProgress(in_progress_sentence())
    if known.state == UploadState.RECEIVING:
        raise SubmissionInProgress(in_progress_sentence())
    raise SubmissionKnown(known)


def check_same_file(
    known: Upload, sha256: bytes, *, restatement: str, feed: str, source: str
) -> None:
    """Raises: SubmissionKeyReused when the bytes are not those that came first, or came as
    another restatement or as none, or as records of another feed or source."""
    assert known.sha256 is not None
    if bytes(known.sha256) != sha256:
        raise SubmissionKeyReused(
            f"This key stands for another file, which is upload {known.pk}:"
            " send a new file under a key of its own."
        )
    if known.restatement != restatement:
        raise SubmissionKeyReused(
            f"This key stands for the same file as upload {known.pk},"
            " which was announced for another reason: use a new key."
        )
    if (known.feed, known.feed_facts.get("source", "")) != (feed, source):
        raise SubmissionKeyReused(
            f"This key stands for the same file as upload {known.pk},"
            " which was handed in for another feed or source: use a new key."
        )


def in_progress_sentence() -> str:
    return "The first file under this key is still being received: ask again in a while."
