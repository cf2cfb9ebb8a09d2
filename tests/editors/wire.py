"""What passed between an editor and the server, as `tap.py` kept it."""

from __future__ import annotations

import json
import re
import sys
from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

from tests.servers.processes import within

Message = dict[str, Any]
TAP = Path(__file__).with_name("tap.py")
HEADER = re.compile(rb"([\w-]+): *([^\r\n]*)")
TOKENS = ("workDoneToken", "partialResultToken")
DECLARED = {
    "workspace/configuration": ("workspace", "configuration"),
    "client/registerCapability": ("workspace", "didChangeConfiguration", "dynamicRegistration"),
    "window/workDoneProgress/create": ("window", "workDoneProgress"),
}


class Wire:
    """The messages in both directions, in a folder."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder

    def tapped(self, server: tuple[str, ...]) -> tuple[str, ...]:
        """Give the command that runs a server behind the tap."""
        return (sys.executable, "-I", "-S", str(TAP), str(self._folder), *server)

    def asked(self) -> list[Message]:
        """All that the editor has sent."""
        return list(messages((self._folder / "asked").read_bytes()))

    def told(self) -> list[Message]:
        """All that the server has sent; nothing but frames may stand there."""
        return list(messages((self._folder / "told").read_bytes()))

    def log(self) -> str:
        """What the server wrote to standard error."""
        return (self._folder / "log").read_text("utf-8", "replace")

    def answers(self, number: object) -> list[Message]:
        """The answers under an id."""
        return [one for one in self.told() if "method" not in one and one["id"] == number]

    def answered(self) -> Counter[str]:
        """How often there is an answer under each id."""
        return Counter(str(one["id"]) for one in self.told() if "method" not in one)

    def tokens(self, method: str) -> set[object]:
        """The tokens in what the server has sent of a method."""
        return {one["params"]["token"] for one in self.told() if one.get("method") == method}

    def declared(self, *names: str) -> bool:
        """Say whether the editor declared a capability."""
        value = next(one for one in self.asked() if one["method"] == "initialize")["params"]["capabilities"]
        for name in names:
            value = value.get(name) if isinstance(value, dict) else None
        return value is True

    def until(self, find: Callable[[], Any], seconds: float = 20) -> Any:
        """Wait until something is found in what passed, and give it."""
        within(seconds, lambda: bool(find()))
        return find()


def check(wire: Wire) -> None:
    """Whatever was done: one answer to each request, nothing asked or told beyond what was declared, nothing logged."""
    wanted = Counter(str(one["id"]) for one in wire.asked() if "method" in one and "id" in one)
    wire.until(lambda: wanted <= wire.answered())
    assert wire.answered() == wanted
    methods = {one["method"] for one in wire.told() if "method" in one}
    assert methods <= {"$/progress", "$/cancelRequest", *DECLARED}
    assert [method for method in methods & DECLARED.keys() if not wire.declared(*DECLARED[method])] == []
    given = {token for one in wire.asked() for token in tokens(one.get("params"))}
    assert wire.tokens("$/progress") <= given | wire.tokens("window/workDoneProgress/create")
    assert wire.log() == ""


def tokens(params: Any) -> set[object]:
    """The tokens that a request or a command brings."""
    if not isinstance(params, dict):
        return set()
    places = [params, *params.get("arguments", [])]
    return {place[name] for place in places for name in TOKENS if isinstance(place, dict) and name in place}


def messages(data: bytes) -> Iterator[Message]:
    """Read frames up to the first that is not complete; nothing may stand between them."""
    while data:
        head, blank, data = data.partition(b"\r\n\r\n")
        if not blank:
            return
        fields = [HEADER.fullmatch(line) for line in head.split(b"\r\n")]
        assert None not in fields, f"no header: {head[:200]!r}"
        length = next(int(field[2]) for field in fields if field and field[1].lower() == b"content-length")
        if len(data) < length:
            return
        yield json.loads(data[:length])
        data = data[length:]
