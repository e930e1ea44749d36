"""What the desk refuses. The texts are sentences for the person at the desk."""


class DeskRefused(ValueError):
    """What was asked for makes no sense as it is: a missing reason, an unknown hand."""


class DeskConflict(Exception):
    """It makes sense, but not as the case stands now."""

    def __init__(self, message: str, *, case_id: int | None = None) -> None:
        super().__init__(message)
        self.case_id = case_id


class CaseNotFound(LookupError):
    """There is no such case, claim or remedy."""
