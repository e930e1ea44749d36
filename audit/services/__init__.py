"""What changes the store; the pages, the commands and the tasks call these.

receive_upload(*, name, stream, user=None, on_progress=None) -> Received
    Reads a file to its end, keeps its lines in chunks and queues them. `stream` has
    read(size) -> bytes. Raises: UploadTooLarge, UploadInterrupted (the upload then stands as
    failed, with nothing kept of it).
judge_chunk(*, chunk_id) -> float | None    for the task; seconds to come again in, or None
compare_table(*, table_id) -> bool          for the task; whether some hands are left to compare
touch_hands(*, hand_ids)                    have hands compared again that stand elsewhere now
sweep(*, quiet=…) -> Swept                  queues again what a lost worker or broker left
create_first_account() -> FirstAccount | None
"""

from audit.services.accounts import FirstAccount, create_first_account
from audit.services.comparing import compare_table
from audit.services.judging import LEASE, judge_chunk
from audit.services.receiving import (
    ByteStream,
    Received,
    UploadInterrupted,
    UploadRefused,
    UploadTooLarge,
    receive_upload,
)
from audit.services.sweeping import Swept, sweep
from audit.services.touching import touch_hands

__all__ = [
    "LEASE",
    "ByteStream",
    "FirstAccount",
    "Received",
    "Swept",
    "UploadInterrupted",
    "UploadRefused",
    "UploadTooLarge",
    "compare_table",
    "create_first_account",
    "judge_chunk",
    "receive_upload",
    "sweep",
    "touch_hands",
]
