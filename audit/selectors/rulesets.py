"""The rulesets in force, read once a process."""

from functools import cache
from pathlib import Path

from django.conf import settings

import replay

# The rules by which operators' servers are known to settle.
FEED_RULESETS = Path(__file__).resolve().parents[1] / "importers" / "rulesets"


@cache
def current_rulesets() -> replay.Rulesets:
    """The shipped rulesets, those of the importers, and of the folders in TILECOURT_RULESETS.

    Raises: replay.RulesetError.
    """
    folders = getattr(settings, "TILECOURT_RULESETS", ())
    return replay.load_rulesets(FEED_RULESETS, *(Path(folder) for folder in folders))
