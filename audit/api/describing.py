"""What an operation of the API takes and gives, said beside the view that does it.

The description at /api/schema/ and the page at /api/docs/ are made of this; types are those that
the views encode, so that the two cannot part.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final, TypeVar

from audit.api.known_errors import ALWAYS, ERRORS

JSON: Final = "application/json"
F = TypeVar("F", bound=Callable[..., Any])
ATTRIBUTE = "described_operation"
EXAMPLES = Path(__file__).parent / "examples"


@dataclass(frozen=True, slots=True, kw_only=True)
class Parameter:
    """A parameter of an address; `schema` is JSON Schema, `example` one that fits it."""

    name: str
    about: str
    schema: Mapping[str, Any]
    example: Any
    place: str = "query"
    is_required: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Body:
    """What is sent: `shape` is a type that msgspec reads, None for bytes in one of `types`."""

    about: str
    shape: Any = None
    example: Any = None
    types: tuple[str, ...] = (JSON,)
    is_required: bool = True


@dataclass(frozen=True, slots=True, kw_only=True)
class Operation:
    """One method of one address.

    `gives` is the type of the answer, None where it is no JSON; `example` an instance of it as
    JSON, or the text of a file; `example_file` is that of one that is no text, below our static
    files. `refuses` are the codes of errors beside those that can always come. `may_be_same`: the
    answer has an ETag, and 304 is answered to whoever has it already.
    """

    id: str
    group: str
    summary: str
    about: str = ""
    parameters: tuple[Parameter, ...] = ()
    body: Body | None = None
    gives: Any = None
    example: Any = None
    example_file: str = ""
    status: int = 200
    media_type: str = JSON
    headers: Mapping[str, str] | None = None
    refuses: tuple[str, ...] = ()
    may_be_same: bool = False

    @property
    def errors(self) -> tuple[str, ...]:
        """Each code that can be answered, by status."""
        of_version = ("another-version",) if self.may_be_same else ()
        codes = dict.fromkeys((*ALWAYS, *of_version, *self.refuses))
        return tuple(sorted(codes, key=lambda code: (ERRORS[code].status, code)))


def example_of(name: str) -> str:
    """The text of a file that stands for an answer; as it is, line ends and all."""
    return (EXAMPLES / name).read_bytes().decode()


def described(operation: Operation) -> Callable[[F], F]:
    """Say of a method of a view what it does."""
    unknown = [code for code in operation.refuses if code not in ERRORS]
    assert not unknown, f"{operation.id} refuses with {unknown}"

    def mark(method: F) -> F:
        setattr(method, ATTRIBUTE, operation)
        return method

    return mark


def operation_of(method: Any) -> Operation | None:
    """What was said of a method; None where nothing was."""
    found: Operation | None = getattr(method, ATTRIBUTE, None)
    return found
