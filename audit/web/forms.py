"""Forms that the site checks itself; the filters of the hands are read by their selector."""

from typing import Any

from django.contrib.auth.forms import AuthenticationForm

from audit.web.language import phrase


class SignInForm(AuthenticationForm):
    """Name and password; one sentence for every failure, so that no name is given away."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        sentence = phrase("Name and password do not match.")
        self.error_messages = {"invalid_login": sentence, "inactive": sentence}
