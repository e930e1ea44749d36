"""What changes the store; the pages, the commands and the tasks call these.

receive_upload(*, name, stream, user=None, sources=None, key=None, restatement=None,
    on_progress=None) -> Received. Reads a file to its end, keeps its lines in chunks and queues
    them. `stream` has read(size) -> bytes, `sources` are those that its sender may hand in.
    Raises: UploadTooLarge, UploadInterrupted (the upload then stands as failed, with nothing kept
    of it). Under a SubmissionKey the same file is taken once: SubmissionInProgress,
    SubmissionKeyReused.
receive_feed(*, name, stream, feed, source, user=None, sources=None, key=None, restatement=None,
    on_progress=None) -> Received. The same for a file of an operator's feed; FeedUnknown,
    SourceRefused, too.
give_up_upload(key) -> bool                 ends what a killed receiver left under its own key
create_token(*, name, days, account=None) -> NewToken, revoke_token(*, name), use_token(token)
    Tokens of the API. Raises: TokenRefused.
judge_chunk(*, chunk_id) -> float | None    for the task; seconds to come again in, or None
compare_table(*, table_id) -> bool          for the task; whether some hands are left to compare
touch_hands(*, hand_ids)                    have hands compared again that stand elsewhere now
open_reaudit(*, user, sources, reason, query, named="", ruleset="", refused_lines="none") -> int
    Have hands judged again. Raises: ReauditRefused, BadQuery.
work_on_reaudit(*, reaudit_id) -> float | None      for the task; as judge_chunk
stop_reaudit(*, reaudit_id) -> bool, resume_reaudit(*, reaudit_id) -> Resumed
sweep_reaudits(*, quiet=…) -> int           queues re-audits again that lost their messages
sweep(*, quiet=…) -> Swept                  queues again what a lost worker or broker left
create_first_account() -> FirstAccount | None
"""

from audit.services.accounts import FirstAccount, create_first_account
from audit.services.arriving import (
    ByteStream,
    RestatementIncomplete,
    SourceRefused,
    UploadInterrupted,
    UploadRefused,
    UploadTooLarge,
)
from audit.services.comparing import compare_table
from audit.services.feeding import FeedUnknown, receive_feed
from audit.services.judging import LEASE, judge_chunk
from audit.services.reauditing import (
    ReauditRefused,
    Resumed,
    open_reaudit,
    resume_reaudit,
    stop_reaudit,
    sweep_reaudits,
    work_on_reaudit,
)
from audit.services.receiving import Received, give_up_upload, receive_upload
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
    "FeedUnknown",
    "FirstAccount",
    "NewToken",
    "ReauditRefused",
    "Received",
    "RestatementIncomplete",
    "Resumed",
    "SourceRefused",
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
    "open_reaudit",
    "receive_feed",
    "receive_upload",
    "resume_reaudit",
    "revoke_token",
    "stop_reaudit",
    "sweep",
    "sweep_reaudits",
    "touch_hands",
    "use_token",
    "work_on_reaudit",
]
