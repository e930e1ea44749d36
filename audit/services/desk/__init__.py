"""The desk: gathering wrong hands into cases, and what people do about them.

gather_cases(*, seconds=20) -> Gathered        for the task; files what is stored and not yet filed
file_hands(hand_ids) -> int                    looks at these hands again now
take_next, take_case, release_case, assign_case, comment_case, decide_case, reopen_case,
withdraw_case                                  one act on one case
act_in_bulk, undo_bulk -> BulkDone             one act on many, after selectors.desk_queue's preview
enter_claim, withdraw_claim, deadline_of       what a player says
propose_remedy, approve_remedy, reject_remedy, export_remedy, open_differences

All raise CaseNotFound (404), DeskRefused (400: it makes no sense) or DeskConflict (409: not as the
case stands now, which its text says).
"""

from audit.services.desk.bulk import BulkDone, act_in_bulk, undo_bulk
from audit.services.desk.claiming import Complaint, deadline_of, enter_claim, withdraw_claim
from audit.services.desk.deciding import (
    assign_case,
    comment_case,
    decide_case,
    release_case,
    reopen_case,
    take_case,
    take_next,
    withdraw_case,
)
from audit.services.desk.errors import CaseNotFound, DeskConflict, DeskRefused
from audit.services.desk.filing import file_hands
from audit.services.desk.gathering import Gathered, gather_cases
from audit.services.desk.remedies import (
    Scope,
    approve_remedy,
    export_remedy,
    open_differences,
    propose_remedy,
    reject_remedy,
)

__all__ = [
    "BulkDone",
    "CaseNotFound",
    "Complaint",
    "DeskConflict",
    "DeskRefused",
    "Gathered",
    "Scope",
    "act_in_bulk",
    "approve_remedy",
    "assign_case",
    "comment_case",
    "deadline_of",
    "decide_case",
    "enter_claim",
    "export_remedy",
    "file_hands",
    "gather_cases",
    "open_differences",
    "propose_remedy",
    "reject_remedy",
    "release_case",
    "reopen_case",
    "take_case",
    "take_next",
    "undo_bulk",
    "withdraw_case",
    "withdraw_claim",
]
