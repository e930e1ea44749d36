"""Garble the text of a line: a value, a key, a character or a byte is otherwise."""

import json

VALUES = [
    "null", "true", "0", "1", "-1", "-0", "1.0", "1e0", "1E2", "9007199254740991",
    "9007199254740992", "-9007199254740992", "1234567890123456789012345", "1e400", "01", "+1",
    ".5", "NaN", "Infinity", '""', '"x"', '"1"', '"1.0"', '"-0"', '"-0.00"', '"+1"', '"1e2"',
    '"01"', '"1,000"', '" 1"', '"1\\n"', '"1."', '"999999999999999"', '"1000000000000000"',
    '"-999999999999999.99"', '"１"', '"1.00000000"', '"\\u0031"', "[]", "{}", "[1]", '["66"]',
    '"66"', '"21"', '"\\ud800"', '"\\ud83d\\ude00"', '"\\u0000"', '"\\u009f"', '"\\u00a0"',
    '"a\tb"', '"\x7f"', '"\u2028"', '"\ufeff"', f'"{"a" * 128}"', f'"{"a" * 129}"',
    f'"{"😀" * 128}"', f'"{"😀" * 129}"', '"\\x"', "'a'", '"shun"', '"win"', '"void"',
    "[[[[[[1]]]]]]", "[[[[[1]]]]]", "2", "4", "9", "1001", "1000",
]  # fmt: skip
TIMES = [
    "2024-02-29t00:00:00z", "2023-02-29T00:00:00Z", "2024-01-01 00:00:00Z", "2024-01-01T00:00:00",
    "2024-01-01T24:00:00Z", "0000-01-01T00:00:00Z", "0001-01-01T00:00:00+23:59",
    "0001-01-01T00:59:60+01:00", "9999-12-31T23:59:60Z", "9999-12-31T23:59:60-00:01",
    "2016-12-31T23:59:60.9Z", "2017-01-01T07:59:60+08:00", "2016-12-30T23:59:60Z",
    "2024-04-30T23:59:61Z", "2024-01-01T00:00:00.Z", "2024-01-01T00:00:00,5Z",
    "2024-01-01T00:00:00-00:00", "2024-01-01T00:00:00+24:00", "2024-01-01T00:00:00+0000",
    "２024-01-01T00:00:00Z", "2024-01-01T00:00:00.000000000000000001Z", "2024-1-1T00:00:00Z",
]  # fmt: skip
KEYS = ["ext", "foo", "ms", "auto", "seat", "entry", "round", "next", "min", "lipai", "players"]
CHARACTERS = [*'{}[],:"\\0-.e /', "\t", "\r", "\v", "\f", "\ufeff", "\u2028", "\x00", "é"]
BYTES = [b"\xff", b"\xc0\xaf", b"\xed\xa0\x80", b"\xf4\x90\x80\x80", b"\x80", b"\xe2\x82"]


def garble(line, chance):
    """One line with something changed; it has no line end, and is not blank."""
    text = line.decode()
    way = chance.choice([change_value, change_value, change_value, change_key, change_text])
    garbled = way(text, chance)
    if chance.random() < 0.05:
        place = chance.randrange(len(garbled))
        garbled = garbled[:place] + chance.choice(BYTES) + garbled[place:]
    garbled = garbled.replace(b"\n", b" ")
    # A mark at the start of a stream, and a carriage return at the end of a line, are no part.
    return b" " + garbled + b" "


def parts_of(text):
    """Where each part of a JSON text stands: a string, a number or a word."""
    places, place = [], 0
    while place < len(text):
        end = place + 1
        if text[place] == '"':
            while text[end] != '"':
                end += 2 if text[end] == "\\" else 1
            end += 1
        elif text[place] in "{}[]:, \t":
            place = end
            continue
        else:
            while end < len(text) and text[end] not in "{}[]:, \t":
                end += 1
        places.append((place, end, text[end : end + 1] == ":"))
        place = end
    return places


def change_value(text, chance):
    """One or two values are others; a time is mostly another time."""
    for _ in range(chance.choice([1, 1, 2])):
        values = [(start, end) for start, end, is_key in parts_of(text) if not is_key]
        start, end = chance.choice(values)
        new = chance.choice(VALUES)
        if chance.random() < 0.15:
            times = [(a, b) for a, b in values if text[a : a + 4] in ['"201', '"202', '"000']]
            if times:
                start, end = chance.choice(times)
                new = f'"{chance.choice(TIMES)}"'
        elif chance.random() < 0.3 and text[start] == '"':
            place = chance.randrange(start + 1, end)
            new = text[start:place] + chance.choice(CHARACTERS) + text[place:end]
        text = text[:start] + new + text[end:]
        if not is_json(text):
            break
    return text.encode("utf-8", "surrogatepass")


def is_json(text):
    """Whether it is JSON still, so that its parts can be told."""
    try:
        json.loads(text)
    except ValueError:
        return False
    return True


def change_key(text, chance):
    """A key is written with escapes, is another, is there twice or is new."""
    keys = [(start, end) for start, end, is_key in parts_of(text) if is_key]
    start, end = chance.choice(keys)
    escaped = '"' + "".join(f"\\u{ord(character):04x}" for character in text[start + 1 : end - 1])
    new = chance.choice([
        escaped + '"',
        f'"{chance.choice(KEYS)}"',
        f'"{chance.choice(KEYS)}":{chance.choice(VALUES)},{text[start:end]}',
        f'{text[start:end]}:1,{escaped}"',
        '"ext":{"a":[{"b":null,"c":1e999}]},' + text[start:end],
    ])  # fmt: skip
    return (text[:start] + new + text[end:]).encode("utf-8", "surrogatepass")


def change_text(text, chance):
    """A character is lost or there is one more; the line is cut, or goes on."""
    place = chance.randrange(len(text))
    new = chance.choice([
        text[:place] + text[place + 1 :],
        text[:place] + chance.choice(CHARACTERS) + text[place:],
        text[:place],
        text + chance.choice(["}", "{}", " {}", ",", "\x00", "\f", "\t "]),
        chance.choice(["\t", "\r ", "\ufeff", "\f", "x", "[", "\u00a0"]) + text,
    ])  # fmt: skip
    return new.encode("utf-8", "surrogatepass")
