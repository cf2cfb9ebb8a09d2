"""Hostile inputs of great depth, and what stands just within the limit."""

from __future__ import annotations

from collections.abc import Iterator

from tests.samples.hostile.rows import Row, Want, nameless
from tests.servers.wire_client import framed

VAST = 100_000
LEVELS = 128  # of a message
SHAPES = {"arrays": ("[", "]"), "objects": ('{"a":', "}"), "both": ('[{"a":', "}]")}
CALL = '"jsonrpc": "2.0", "id": "<id>", "method"'
# Messages with `<!>` where something deep may stand, and whose id can be found all the same.
NAMED = {
    "a member of the params": f'{{{CALL}: "compactChat/format", "params": {{"x": <!>}}}}',
    "the params": f'{{{CALL}: "compactChat/format", "params": <!>}}',
    "the messages of a chat": f'{{{CALL}: "compactChat/preview", "params": {{"chat": {{"messages": [<!>]}}}}}}',
    "the arguments of a command": f'{{{CALL}: "workspace/executeCommand", "params": {{"arguments": [<!>]}}}}',
    "the method": f"{{{CALL}: <!>}}",
    "an unknown member": f'{{{CALL}: "compactChat/format", "x": <!>}}',
    "the params before the id": f'{{"params": <!>, {CALL}: "compactChat/format"}}',
    "an answer": '{"jsonrpc": "2.0", "result": <!>, "id": "<id>"}',
}
# The same of messages without an id that could be found.
NAMELESS = {
    "the id": '{"jsonrpc": "2.0", "id": <!>, "method": "compactChat/format"}',
    "params around the id": f'{{"x": <!>, {CALL}: "compactChat/format", "params": <!>}}',
    "a notification": '{"jsonrpc": "2.0", "method": "initialized", "params": <!>}',
    "no message": "<!>",
}


def depths() -> Iterator[Row]:
    """All of them."""
    for shape in SHAPES:
        deep = _nested(shape, VAST)
        for place, message in NAMED.items():
            yield _refused(f"{shape} in {place}", message, deep)
        for place, message in NAMELESS.items():
            yield nameless(f"{shape} in {place}", message.replace("<!>", deep).encode(), "tooLarge")
    place = NAMED["a member of the params"]
    for levels in (LEVELS - 1, 200, 500, 990, 1000, 1010, 3000, 10_000):  # two stand around: the message and its params
        yield _refused(f"{levels} levels of arrays", place, _nested("arrays", levels))
    yield _refused("brackets that never close", place, "[" * VAST)
    yield _refused("braces that never close", place, '{"a":' * VAST)
    yield nameless("brackets that close too often", b'{"jsonrpc": "2.0", "id": "often", "params": [' + b"]" * VAST)
    yield nameless("a few brackets that never close", b'{"jsonrpc": "2.0", "id": "few", "params": ' + b"[" * 100)
    for name, text in FLAT.items():
        params = f'{{"x": {text}, "text": "<summary>{name}</summary>"}}'
        data = f'{{"jsonrpc": "2.0", "id": "{name}", "method": "compactChat/format", "params": {params}}}'
        yield Row(name, framed(data.encode()), (Want(name),))


def _refused(name: str, message: str, deep: str) -> Row:
    data = message.replace("<id>", name).replace("<!>", deep)
    return Row(name, framed(data.encode()), (Want(name, "tooLarge"),))


def _nested(shape: str, levels: int) -> str:
    opening, closing = SHAPES[shape]
    times = levels // len([sign for sign in opening if sign in "[{"])
    return opening * times + "1" + closing * times


# What is as deep as may be, or only looks deep.
FLAT = {
    "as deep as may be": _nested("arrays", LEVELS - 2),
    "as deep as may be, a thousand times": f"[{','.join([_nested('objects', LEVELS - 3)] * 1000)}]",
    "brackets in a text": f'"{"[" * VAST}"',
    "closing brackets in a text": f'"{"]}" * VAST}"',
    "quotes and brackets in a text": '"' + r"\"[{" * VAST + '"',
    "brackets in a key": f'{{"{"[" * VAST}": 1}}',
    "a hundred thousand empty arrays": f"[{','.join(['[]'] * VAST)}]",
}
