"""Hostile inputs that are no JSON, or no UTF-8."""

from __future__ import annotations

from collections.abc import Iterator

from tests.samples.hostile.rows import SMALL, Row, body, nameless

METHOD = "compactChat/continuation"
# Params that are no JSON, in a message that is well-formed but for them.
FLAWED = (
    *("{", "}", "[", "]", "{]", "[}", '{"a"}', '{"a":}', '{"a" 1}', '{"a":1,}', "{,}", '{"a":1 "b":2}', '{"a":1;}'),
    *("{a:1}", "{'a':1}", "{\"a\":'b'}", "{1:2}", "{null:1}", "{[]:1}", "[1,]", "[,1]", "[1 2]", "[1,,2]", '["a"'),
    *("NaN", "-NaN", "Infinity", "-Infinity", "+Infinity", '{"a":NaN}', "[Infinity]", "nan", "inf", "1.#INF"),
    *("undefined", "None", "True", "TRUE", "nul", "truefalse", "01", "-01", "1.", ".5", "+1", "-", "--1", "1e", "1e+"),
    *("0x10", "0b1", "0o7", "1_000", "1,000", "1/2", "1.2.3", "1e5.5", "1f", "1n", "½", "٣"),
    *(
        '"a',
        'a"',
        '"a" "b"',
        '"a" + "b"',
        r'"\x41"',
        r'"\u12"',
        r'"\u{1F600}"',
        r'"\ud83d\u"',
        r'"\'"',
        r'"\"',
        r'"\0"',
    ),
    *('"a\nb"', '"a\tb"', '"a\rb"', '"a\x00b"', '"a\x1bb"', '"a\x01b"', '"a\\\nb"', '"\x08"', '"\x0c"'),
    *("// words\n1", "/* words */ 1", "# words\n1", "1 -- words", "<!-- words -->1", "`a`", '"""a"""', 'b"a"', "“a”"),
    *("(1)", "<a/>", "...", "$", "@", "\\", "{{}}", "{...{}}", "${a}", "%7B%7D", "&quot;a&quot;", r"\u0022a\u0022"),
    *("\u00a01", "\u20281", "\u200b1", "\ufeff1", "\f1", "\v1", "\x001", "\x7f1", "\x851"),
)
# Whole bodies that are no JSON.
BODIES = {
    "nothing": b"",
    "a space": b" ",
    "line ends": b"\r\n\r\n",
    "a NUL": b"\0",
    "an opening brace": b"{",
    "a closing brace": b"}",
    "an empty message and a brace": b"{}}",
    "two messages": b"{}{}",
    "two messages on two lines": b"{}\n{}",
    "half a message": b'{"jsonrpc": "2.0", "id": "half", "meth',
    "a message and a NUL": body("zero", METHOD, SMALL) + b"\0",
    "a NUL and a message": b"\0" + body("zero", METHOD, SMALL),
    "a message and a semicolon": body("end", METHOD, SMALL) + b";",
    "a message in brackets of a call": b"callback(" + body("call", METHOD, SMALL) + b")",
    "the guard of a web page": b")]}',\n" + body("guard", METHOD, SMALL),
    "an event of a stream": b"data: " + body("event", METHOD, SMALL) + b"\n\n",
    "a record with its separator": b"\x1e" + body("record", METHOD, SMALL),
    "a web page": b"<!doctype html><title>502</title>",
    "XML": b'<?xml version="1.0"?><methodCall><methodName>preview</methodName></methodCall>',
    "YAML": b"jsonrpc: 2.0\nid: 1\nmethod: compactChat/preview\n",
    "a form": b"jsonrpc=2.0&id=1&method=compactChat%2Fpreview",
    "MessagePack": b"\x83\xa7jsonrpc\xa32.0\xa2id\x01\xa6method\xa4exit",
    "Python": b"{'jsonrpc': '2.0', 'id': None}",
    "every byte": bytes(range(256)),
    "one byte a thousand times": b"\xff" * 1000,
    "a header within": b"Content-Length: 2\r\n\r\n{}",
    "a megabyte of spaces": b" " * 2**20,
    "a megabyte of quotes": b'"' * 2**20,
    "a megabyte of backslashes": b'"' + b"\\" * 2**20,
    "a megabyte of commas": b"[" + b"," * 2**20,
    "a megabyte of digits": b"7" * 2**20,
    "a megabyte of minus signs": b"-" * 2**20,
    "a long text that never ends": b'{"id": "' + b"a" * 2**20,
}
# Bytes that are no UTF-8, each for a reason of its own.
NO_UTF8 = {
    "a continuation alone": b"\x80",
    "the last continuation alone": b"\xbf",
    "a slash in two bytes": b"\xc0\xaf",
    "a quote in two bytes": b"\xc0\xa2",
    "a NUL in two bytes": b"\xc0\x80",
    "ASCII in two bytes": b"\xc1\xbf",
    "a slash in three bytes": b"\xe0\x80\xaf",
    "a slash in four bytes": b"\xf0\x80\x80\xaf",
    "half a surrogate pair": b"\xed\xa0\x80",
    "a surrogate pair": b"\xed\xa0\xbd\xed\xb8\x80",
    "beyond the last character": b"\xf4\x90\x80\x80",
    "five bytes": b"\xf8\x88\x80\x80\x80",
    "six bytes": b"\xfc\x84\x80\x80\x80\x80",
    "FE": b"\xfe",
    "FF": b"\xff",
    "one of two bytes": b"\xc3",
    "two of three bytes": b"\xe2\x82",
    "three of four bytes": b"\xf0\x9f\x98",
    "a first byte twice": b"\xc3\xc3\xa9",
    "Latin-1": b"caf\xe9",
    "Windows": b"\x93shelf\x94",
    "Shift JIS": "棚".encode("shift_jis"),
    "GB 18030": "架子".encode("gb18030"),
}
# A message, with `<!>` where such bytes may stand.
PLACES = {
    "a text": b'{"jsonrpc": "2.0", "id": "u", "method": "compactChat/continuation", "params": {"summary": "<!>"}}',
    "a key": b'{"jsonrpc": "2.0", "id": "u", "method": "compactChat/continuation", "params": {"<!>": 1}}',
    "the id": b'{"jsonrpc": "2.0", "id": "<!>", "method": "compactChat/continuation"}',
    "the method": b'{"jsonrpc": "2.0", "id": "u", "method": "<!>"}',
    "the version": b'{"jsonrpc": "<!>", "id": "u", "method": "compactChat/continuation"}',
    "no text": b'{"jsonrpc": "2.0", "id": "u", "method": "compactChat/continuation"}<!>',
    "a text behind a megabyte": b'{"id": "u", "params": {"summary": "%b<!>"}}' % (b"a" * 2**20),
}


def flaws() -> Iterator[Row]:
    """All of them."""
    for text in FLAWED:
        message = f'{{"jsonrpc": "2.0", "id": "flaw", "method": "{METHOD}", "params": {text}}}'
        yield nameless(f"params {text!a}", message.encode())
    for name, data in BODIES.items():
        yield nameless(f"body: {name}", data)
    for name, data in NO_UTF8.items():
        yield nameless(f"UTF-8: {name}", PLACES["a text"].replace(b"<!>", data))
    for name, place in PLACES.items():
        yield nameless(f"UTF-8: Latin-1 in {name}", place.replace(b"<!>", b"\xe9"))
