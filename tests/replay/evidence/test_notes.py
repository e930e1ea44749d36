"""Signed notes and heads: one spelling, one signer, nothing that can be changed unseen."""

from __future__ import annotations

import pytest

from replay.evidence.heads import Head, open_head, parse_head
from replay.evidence.notes import NoteError, PrivateKey, PublicKey, open_note, split_notes

# The keys and the note of the documentation of golang.org/x/mod/sumdb/note.
GO_PRIVATE = "PRIVATE+KEY+PeterNeumann+c74f20a3+AYEKFALVFGyNhPJEMzD1QIDr+Y7hfZx09iUvxdXHKDFz"
GO_PUBLIC = "PeterNeumann+c74f20a3+ARpc2QcUPDhMQegwxbzhKqiBfsVkmqq/LDE4izWy10TW"
GO_TEXT = (
    "If you think cryptography is the answer to your problem,\n"
    "then you don't know what your problem is.\n"
)
GO_NOTE = (
    GO_TEXT + "\n— PeterNeumann "
    "x08go/ZJkuBS9UG/SffcvIAQxVBtiFupLLr8pAcElZInNIuGUgYN1FFYC2pZSNXgKvqfqdngotpRZb6KE6RyyBwJnAM=\n"
)

KEY = PrivateKey(name="tilecourt/test", seed=bytes(range(32)))
HEAD = Head(origin=KEY.name, size=12, root=bytes(32), time="2026-11-29T23:00:00Z")


def test_the_published_keys_and_note():
    key = PrivateKey.parse(GO_PRIVATE)
    assert str(key.public) == GO_PUBLIC
    assert key.written() == GO_PRIVATE
    assert key.sign(GO_TEXT) == GO_NOTE
    public = PublicKey.parse(GO_PUBLIC)
    assert open_note(GO_NOTE, KEY.public, public) == (GO_TEXT, public)


def test_a_private_key_is_not_shown():
    assert repr(KEY) == "PrivateKey(name='tilecourt/test')"
    with pytest.raises(NoteError) as found:
        PrivateKey.parse(GO_PRIVATE[:-1])
    assert "AYEKFALV" not in str(found.value)


@pytest.mark.parametrize("read", [PublicKey.parse, PrivateKey.parse])
@pytest.mark.parametrize(
    "text", ["", "a+b", "a b+00000000+AA==", "PRIVATE+KEY+a+0+", "x+c74f20a3+" + "A" * 44]
)
def test_what_is_no_key(read, text):
    with pytest.raises(NoteError):
        read(text)


def test_each_bit_of_a_head_counts():
    note = HEAD.sign(KEY)
    assert open_head(note, KEY.public).head == HEAD
    data = note.encode()
    for place in range(len(data)):
        for bit in range(8):
            spoilt = data[:place] + bytes([data[place] ^ 1 << bit]) + data[place + 1 :]
            with pytest.raises((NoteError, UnicodeDecodeError)):
                open_head(spoilt.decode(), KEY.public)


def test_a_head_of_another_signer_is_refused_by_name():
    other = PrivateKey.make("tilecourt/other")
    note = Head(origin=other.name, size=1, root=bytes(32), time=HEAD.time).sign(other)
    with pytest.raises(NoteError, match=r"signed by another key: tilecourt/other\+"):
        open_head(note, KEY.public)


def test_a_note_under_the_name_of_another_log_is_no_head_of_ours():
    note = KEY.sign(HEAD.text().replace("tilecourt/test", "tilecourt/else"))
    with pytest.raises(NoteError, match="is of tilecourt/else"):
        open_head(note, KEY.public)


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("\n12\n", "\n012\n"), ("\n12\n", "\n-1\n"), ("\n12\n", "\n" + "9" * 19 + "\n"),
        ("AAA=", "AAB="), ("AAA=", "A==="), ("time 2026", "time  2026"),
        ("23:00:00Z\n", "23:00:00Z"), ("23:00:00Z\n", "23:00:00Z\nmore\n"),
    ],
)  # fmt: skip
def test_a_head_has_one_spelling(old, new):
    assert parse_head(HEAD.text()) == HEAD
    text = HEAD.text()
    assert old in text
    with pytest.raises(NoteError):
        parse_head(text.replace(old, new))


def test_notes_one_behind_the_other():
    notes = [HEAD.sign(KEY), GO_NOTE, HEAD.sign(KEY)]
    assert split_notes("".join(notes)) == notes
    assert split_notes("") == []
    with pytest.raises(NoteError):
        split_notes(GO_NOTE + "more\n")
