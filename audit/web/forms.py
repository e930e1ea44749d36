"""Forms that the site checks itself; the filters of the hands are read by their selector."""

from typing import Any

from django.contrib.auth.forms import AuthenticationForm
from django.contrib.auth.models import User

from audit.web.language import phrase


class SignInForm(AuthenticationForm):
    """Name and password; one sentence for every failure, so that no name is given away."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        sentence = phrase("Name and password do not match.")
        self.error_messages = {"invalid_login": sentence, "inactive": sentence}

    def clean(self) -> dict[str, Any]:
        # A longer name is nobody's, and the count of wrong tries could not hold it.
        most = User._meta.get_field("username").max_length  # noqa: SLF001 - how it is asked
        if len(self.cleaned_data.get("username") or "") > (most or 0):
            raise self.get_invalid_login_error()
        return super().clean()
