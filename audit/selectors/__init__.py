"""What the pages, the commands and the API read. Nothing here writes.

    list_uploads(*, cursor=None, limit=50) -> Page[UploadRow]
    get_upload(upload_id) -> UploadRow                      cheap: one query by key; UploadNotFound
    open_touches(upload_ids) -> int                         what is still to be compared of them
    known_files(hashes) -> {sha256: upload_id}              which files are here already
    upload_of_key(*, sender, key) -> UploadRow | None       what a sender's key stands for
    list_refusals(upload_id, *, cursor=None, limit=100) -> Page[RefusalRow]

    HandFilters.parse(query) -> HandFilters                 query: a mapping of texts; BadQuery
    list_hands(filters, *, cursor=None, limit=50) -> Page[HandRow]
    primary_findings(rows) -> {hand_pk: Finding}            what a list says of each hand
    filter_choices() -> FilterChoices
    hand_detail(hand_pk, *, version=None) -> HandDetail     HandNotFound
    played_hand(hand_pk) -> PlayedHand                      for a step alone; HandNotFound
    find_account(name) -> User | None                       who may hand something in
    current_rulesets() -> replay.Rulesets                   every one that is known now
    rulesets_naming(name) -> replay.Rulesets                for replay.walk(detail.raw, …)

A cursor is an opaque text out of a Page. A malformed cursor or filter raises BadQuery, a
ValueError; what is not there raises NotFound, a LookupError.
"""

from audit.selectors.accounts import find_account
from audit.selectors.comparisons import ComparisonRow, open_touches
from audit.selectors.filters import FilterChoices, HandFilters, filter_choices
from audit.selectors.hands import (
    DuplicateRow,
    HandDetail,
    HandRow,
    VerdictRow,
    hand_detail,
    list_hands,
)
from audit.selectors.pages import BadQuery, HandNotFound, NotFound, Page, UploadNotFound
from audit.selectors.played import PlayedHand, played_hand
from audit.selectors.primaries import primary_findings
from audit.selectors.rulesets import current_rulesets, rulesets_naming
from audit.selectors.twins import TwinRow
from audit.selectors.uploads import (
    RefusalRow,
    UploadRow,
    get_upload,
    known_files,
    list_refusals,
    list_uploads,
    upload_of_key,
)
from audit.selectors.versions import RestatementRow, VersionRow

__all__ = [
    "BadQuery",
    "ComparisonRow",
    "DuplicateRow",
    "FilterChoices",
    "HandDetail",
    "HandFilters",
    "HandNotFound",
    "HandRow",
    "NotFound",
    "Page",
    "PlayedHand",
    "RefusalRow",
    "RestatementRow",
    "TwinRow",
    "UploadNotFound",
    "UploadRow",
    "VerdictRow",
    "VersionRow",
    "current_rulesets",
    "filter_choices",
    "find_account",
    "get_upload",
    "hand_detail",
    "known_files",
    "list_hands",
    "list_refusals",
    "list_uploads",
    "open_touches",
    "played_hand",
    "primary_findings",
    "rulesets_naming",
    "upload_of_key",
]
