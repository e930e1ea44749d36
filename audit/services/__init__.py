"""What changes the store; the pages, the commands and the tasks call these.

receive_upload(*, name, stream, user=None, key=None, restatement=None, on_progress=None)
    -> Received. Reads a file to its end, keeps its lines in chunks and queues them. `stream` has
    read(size) -> bytes. Raises: UploadTooLarge, UploadInterrupted (the upload then stands as
    failed, with nothing kept of it). Under a SubmissionKey the same file is taken once:
    SubmissionInProgress, SubmissionKeyReused.
give_up_upload(key) -> bool                 ends what a killed receiver left under its own key
create_token(*, name, days, account=None) -> NewToken, revoke_token(*, name), use_token(token)
    Tokens of the API. Raises: TokenRefused.
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
    RestatementIncomplete,
    UploadInterrupted,
    UploadRefused,
    UploadTooLarge,
    give_up_upload,
    receive_upload,
)
from audit.services.submissions import (
    SubmissionInProgress,
    SubmissionKey,
    SubmissionKeyReused,
)
from audit.services.sweeping import Swept, sweep
from audit.services.tokens import (
    NewToken,
    TokenRefused,
    create_token,
    revoke_token,
    use_token,
)
from audit.services.touching import touch_hands

__all__ = [
    "LEASE",
    "ByteStream",
    "FirstAccount",
    "NewToken",
    "Received",
    "RestatementIncomplete",
    "SubmissionInProgress",
    "SubmissionKey",
    "SubmissionKeyReused",
    "Swept",
    "TokenRefused",
    "UploadInterrupted",
    "UploadRefused",
    "UploadTooLarge",
    "compare_table",
    "create_first_account",
    "create_token",
    "give_up_upload",
    "judge_chunk",
    "receive_upload",
    "revoke_token",
    "sweep",
    "touch_hands",
    "use_token",
]
