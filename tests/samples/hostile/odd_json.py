"""Hostile inputs that are JSON, but as nobody writes it: members twice, vast numbers, halves of surrogate pairs."""

from __future__ import annotations

from collections.abc import Iterator

from tests.samples.hostile.rows import Row, Want, nameless
from tests.servers.wire_client import framed

METHOD = "compactChat/continuation"
HUGE = "9" * 400
# Params that have a result, since they are JSON, whatever they look like.
PARAMS = {
    "a member of params twice": r'{"summary": 5, "summary": "Summary:\nok"}',
    "a member twice, once as escapes": r'{"summary": 5, "\u0073ummary": "Summary:\nok"}',
    "a key that is empty": r'{"": 1, "summary": "Summary:\nok"}',
    "keys that are no names": '{"__proto__": {"a": 1}, "a-b": 2, "type_name": 3, "self": 4, "summary": "a"}',
    "numbers of all kinds": '{"x": [1e5, -0, -0.0, 1e-999, 5e-324, 1E+2, 0.1e1], "summary": "a"}',
    "a number beyond all floats": '{"x": 1e999, "summary": "a"}',
    "a number of 400 digits": f'{{"x": {HUGE}, "summary": "a"}}',
    "a fraction of 400 digits": f'{{"x": 0.{HUGE}, "summary": "a"}}',
    "every escape": r'{"summary": "a \" \\ \/ \b \f \n \r \t \u0000 \u001b \u007f \u2028 \ufffe \uffff"}',
    "all of it as escapes": r'{"\u0073\u0075\u006d\u006d\u0061\u0072\u0079": "\u0053\u0075\u006d"}',
    "blanks between all": '\t{\r\n "summary" \t:\n "a"\r\n }\n\n',
    "a megabyte of blanks": "{" + " \t\r\n" * 2**18 + '"summary": "a"}',
    "a hundred thousand members": "{" + "".join(f'"k{n}":0,' for n in range(100_000)) + '"summary": "a"}',
    "a key of a megabyte": f'{{"{"k" * 2**20}": 1, "summary": "a"}}',
    "DEL and characters behind it": '{"summary": "a \x7f \x80 \x9f \ufdd0 \ufffe \U0010ffff"}',
}
# Messages with members twice, of which the last counts.
TWICE = {
    "params twice": '"params": 5, "params": {"summary": "a"}',
    "the method twice": f'"method": "exit", "method": "{METHOD}", "params": {{"summary": "a"}}',
    "the version twice": '"jsonrpc": "1.0", "jsonrpc": "2.0", "params": {"summary": "a"}',
    "the id twice": '"id": "first", "id": "the id twice", "params": {"summary": "a"}',
}
HALVES = {"a high half": r"\ud83d", "a low half": r"\ude00", "halves turned round": r"\ude00\ud83d"}
# What a message holds with `<!>` where a half stands: its method, its params, and the error that must come of it.
IN_PARAMS = {
    "a key of the params": ("continuation", '{"<!>": 1}', "invalidParams"),
    "a key and its text": ("continuation", '{"<!>": "<!>", "summary": "Summary: <!>"}', ""),
    "a text": ("countTokens", '{"chat": {"text": "shelf <!>"}}', ""),
    "a message": ("preview", '{"chat": {"messages": [{"role": "user", "content": "<!>"}]}}', ""),
    "a role": ("preview", '{"chat": {"messages": [{"role": "<!>", "content": "a"}]}}', ""),
    "a key of a message": ("preview", '{"chat": {"messages": [{"role": "user", "content": "a", "<!>": 1}]}}', ""),
    "a key of a chat": ("countTokens", '{"chat": {"text": "shelf", "<!>": 1}}', ""),
    "a key of a tool": ("countTokens", '{"chat": {"messages": [], "tools": [{"<!>": 1}]}}', ""),
    "a key of the options": ("preview", '{"chat": {"messages": []}, "options": {"<!>": 1}}', ""),
    "a key of options' options": ("preview", '{"chat": {"messages": []}, "options": {"prune": {"<!>": 1}}}', ""),
    "a choice": ("preview", '{"chat": {"messages": []}, "options": {"strategy": "<!>"}}', "invalidParams"),
    "a URI": ("countTokens", '{"chat": {"uri": "file:///<!>"}}', "chatNotFound"),
    "a format": ("countTokens", '{"chat": {"text": "a", "format": "<!>"}}', "invalidParams"),
    "a tool": ("countTokens", '{"chat": {"text": "a", "tool": "<!>"}}', ""),
    "a model": ("countTokens", '{"chat": {"text": "a"}, "model": "<!>"}', ""),
    "a method": ("<!>", "{}", "methodNotFound"),
}
# The same around the params; `<id>` is the id.
AROUND = {
    "the version": ('{"jsonrpc": "<!>", "id": "<id>", "method": "<m>", "params": {"summary": "a"}}', "invalidRequest"),
    "a key": ('{"jsonrpc": "2.0", "id": "<id>", "method": "<m>", "params": {"summary": "a"}, "<!>": "<!>"}', ""),
    "a command": (
        '{"jsonrpc": "2.0", "id": "<id>", "method": "workspace/executeCommand", "params": {"command": "<!>"}}',
        "invalidParams",
    ),
    "a key of a command": (
        '{"jsonrpc": "2.0", "id": "<id>", "method": "workspace/executeCommand", "params": {"<!>": 1}}',
        "invalidParams",
    ),
}


def oddities() -> Iterator[Row]:
    """All of them."""
    for name, params in PARAMS.items():
        yield _row(name, _message(METHOD, params))
    for name, members in TWICE.items():
        yield _row(name, f'{{"jsonrpc": "2.0", "id": "<id>", "method": "{METHOD}", {members}}}')
    for name, half in HALVES.items():
        yield from _halves(name, half)
    digits = f'{{"x": {"9" * 10_000}, "summary": "a"}}'
    yield nameless("a number of 10,000 digits", _message(METHOD, digits).encode())


def _halves(name: str, half: str) -> Iterator[Row]:
    """Half of a surrogate pair in each place of a message that holds a text."""
    for place, (operation, params, kind) in IN_PARAMS.items():
        yield _row(f"{name} in {place}", _message(f"compactChat/{operation}", params).replace("<!>", half), kind)
    for place, (message, kind) in AROUND.items():
        yield _row(f"{name} in {place}", message.replace("<m>", METHOD).replace("<!>", half), kind)
    data = _message(METHOD, '{"summary": "a"}').replace("<id>", half)
    yield Row(f"{name} in the id", framed(data.encode()), (Want(half.encode().decode("unicode_escape")),))


def _message(method: str, params: str) -> str:
    return f'{{"jsonrpc": "2.0", "id": "<id>", "method": "{method}", "params": {params}}}'


def _row(name: str, message: str, kind: str = "") -> Row:
    return Row(name, framed(message.replace("<id>", name).encode()), (Want(name, kind),))
