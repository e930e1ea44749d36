"""How random requests are made sense of: for the run of tests/api/test_live.py.

What no schema can say is said here: that a cursor is one that was given out, that a range of days
does not end before it begins, that nobody meets themselves, that a currency goes with something
narrower, and that the run does not end the key it asks with.
"""

from __future__ import annotations

import os
from typing import Any
from urllib.parse import urlencode

import schemathesis
from schemathesis import GenerationMode

OWN_KEY = int(os.environ.get("TILECOURT_WILD_KEY", "0"))


def is_meant_well(case: Any) -> bool:
    meta = case.meta
    return meta is None or meta.generation.mode == GenerationMode.POSITIVE


@schemathesis.hook
def before_call(context: Any, case: Any, kwargs: Any) -> None:
    if not is_meant_well(case):
        return
    query = case.query or {}
    # Nobody makes up what the server has signed.
    query.pop("cursor", None)
    if str(query.get("from", "")) > str(query.get("to", "9")):
        query["from"], query["to"] = query["to"], query["from"]
    if query.get("met") == query.get("player"):
        query.pop("met", None)
    is_narrow = query.get("table") or query.get("code") or (query.get("from") and query.get("to"))
    if "currency" in query and not is_narrow:
        query.pop("currency")


@schemathesis.hook
def filter_case(context: Any, case: Any) -> bool:
    # A line longer than 4,094 bytes is the server's own to refuse, before ours is asked.
    if len(case.as_transport_kwargs().get("url", "")) + len(urlencode(case.query or {})) > 3_500:
        return False
    named = (case.path_parameters or {}).get("key")
    return not (case.method.upper() == "DELETE" and str(named).lstrip("0") == str(OWN_KEY))
