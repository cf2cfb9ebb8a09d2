"""Files in which one thing happens a great many times, or in which one value grows."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from copy import deepcopy
from itertools import chain
from typing import Any

from compact_chat.tools import CLINE_FILES, CLINE_MORE_FILES
from tests.oracles.reader_checks import Files
from tests.samples.reader_seeds import Seed, bytes_of


def _lines(*parts: Iterable[Any]) -> Files:
    return Files(bytes_of([record for part in parts for record in part], is_lines=True), {})


def _one(value: Any) -> Files:
    return Files(bytes_of(value), {})


def _nested_lines(number: int) -> Files:
    line = b'{"type":"user","uuid":"a","sessionId":"s","x":' + b"[" * 200 + b"]" * 200 + b"}"
    return Files(b"\n".join([line] * (number // 100)), {})


def _session(requests: list[Any]) -> dict[str, Any]:
    return {"sessionId": "s", "creationDate": 1, "responderUsername": "c", "requests": requests}


def _asked(place: int, **metadata: Any) -> dict[str, Any]:
    rounds = [{"id": f"r{place}", "response": "a", "toolCalls": []}]
    return {"requestId": f"q{place}", "message": "a", "result": {"metadata": {"toolCallRounds": rounds, **metadata}}}


def _summed(number: int, of: Callable[[int], int]) -> Files:
    summaries = ({"toolCallRoundId": f"r{of(place)}", "text": "S"} for place in range(number))
    return _one(_session([_asked(place, summary=one) for place, one in enumerate(summaries)]))


def _unsummed_rounds(number: int) -> Files:
    rounds = [{"id": f"r{place % 7}", "response": "a", "summary": "S"} for place in range(number)]
    return _one(_session([{"requestId": "q", "result": {"metadata": {"toolCallRounds": rounds}}}]))


def _patches(number: int, *operations: dict[str, Any]) -> Files:
    state = {"kind": 0, "v": _session([_asked(place) for place in range(number)])}
    placed = ({**one, "k": [n if key == "*" else key for key in one["k"]]} for n in range(number) for one in operations)
    return _lines([state], placed)


def _said(uuid: object, parent: object, role: str = "user", **more: Any) -> dict[str, Any]:
    message = {"role": role, "content": "a", "id": f"m-{uuid}"}
    return {"type": role, "uuid": f"u{uuid}", "parentUuid": parent, "sessionId": "s", "message": message, **more}


def _chain(number: int, step: int) -> Files:
    chain = [_said(place, f"u{place - 1}" if place else None) for place in range(number)]
    return _lines(chain[::step])


def _bounded(number: int) -> Files:
    segment = {"headUuid": "u0", "anchorUuid": "u1", "tailUuid": f"u{number - 1}"}
    cut = {"type": "system", "subtype": "compact_boundary", "sessionId": "s", "parentUuid": None}
    cuts = ({**cut, "uuid": f"b{n}", "compactMetadata": {"preservedSegment": segment}} for n in range(number))
    return _lines((_said(n, f"u{n - 1}") for n in range(number)), cuts, [_said("last", f"b{number - 1}")])


_CODEX_START = {"type": "session_meta", "payload": {"id": "s"}}
_CODEX_WORDS = {"type": "message", "role": "user", "content": [{"type": "input_text", "text": "a"}]}
_CODEX_SAID = {"type": "response_item", "payload": _CODEX_WORDS}


def _codex(number: int, kind: str, **payload: Any) -> Files:
    return _lines([_CODEX_START], [_CODEX_SAID] * number, [{"type": kind, "payload": payload}] * number)


def _old_compactions(number: int) -> Files:
    return _lines([_CODEX_START], [_CODEX_SAID, {"type": "compacted", "payload": {"message": "S"}}] * number)


def _event(kind: str, place: int, **data: Any) -> dict[str, Any]:
    return {"type": kind, "id": f"e{place}", "data": data}


def _subagents(number: int) -> Files:
    start = _event("session.start", 0, vscodeVersion="1", producer="copilot-agent")
    begun = (
        _event("tool.execution_start", n, toolCallId=f"c{n}", toolName="runSubagent", arguments={"prompt": f"p{n}"})
        for n in range(number)
    )
    said = (_event("user.message", number + n, content=f"p{number - 1}") for n in range(number))
    return _lines([start], begun, said)


def _compactions(number: int) -> Files:
    said = (_event("user.message", n, content="a") for n in range(number))
    made = (_event("session.compaction_complete", n, success=True, summaryContent="S") for n in range(number))
    return _lines([_event("session.start", 0)], said, made)


def _cline(number: int) -> Files:
    roles = ("user", "assistant")
    history = [{"role": roles[n % 2], "ts": n, "content": [{"type": "text", "text": "<task>a"}]} for n in range(number)]
    started = {"type": "say", "say": "api_req_started", "text": '{"tokensIn":9,"tokensOut":9}'}
    ui = [{**started, "ts": n, "conversationHistoryDeletedRange": [2, n]} for n in range(number)]
    edits = [[0, [1, [[0, [[1, "text", ["b"], []]]]]]] for _ in range(number)]
    siblings = {CLINE_FILES[1]: bytes_of(ui), CLINE_MORE_FILES[0]: bytes_of(edits)}
    return Files(bytes_of(history), siblings)


def _roo(number: int) -> Files:
    cut = ({"role": "user", "ts": n, "content": "a", "truncationParent": f"t{n}"} for n in range(number))
    marks = (
        {"role": "user", "content": "b", "isTruncationMarker": True, "truncationId": f"t{n}"} for n in range(number)
    )
    return _one([*cut, *marks])


def _roo_summaries(number: int) -> Files:
    roles = ("user", "assistant")
    return _one([{"role": roles[n % 2], "ts": n, "content": "a", "isSummary": True} for n in range(number)])


def _results(number: int) -> Files:
    calls = [{"id": f"c{n}", "function": {"name": "look", "arguments": "{}"}} for n in range(number)]
    states = [{"toolCallId": f"c{n}", "status": "done", "output": [{"content": "a"}]} for n in range(number)]
    item = {"message": {"role": "assistant", "content": "", "toolCalls": calls}, "toolCallStates": states}
    return _one({"sessionId": "s", "history": [item]})


def _gemini(number: int, *then: dict[str, Any]) -> Files:
    said = ({"id": f"m{n}", "type": "user", "content": "a"} for n in range(number))
    after = (
        {key: value.replace("*", str(number - n)) for key, value in one.items()} for n in range(number) for one in then
    )
    return _lines([{"sessionId": "s", "projectHash": "h"}], said, after)


def _waiting(number: int) -> Files:
    calls = [{"functionCall": {"name": f"look{n}"}} for n in range(number)]
    answers = [{"functionResponse": {"name": f"look{number - n}", "response": {}}} for n in range(number)]
    said = [{"id": "a", "type": "gemini", "content": calls}, {"id": "b", "type": "user", "content": answers}]
    return _one({"projectHash": "h", "messages": said})


def _wide_tree(number: int) -> Files:
    node: dict[str, Any] = {"children": [{"text": " ", "lineBreakBefore": True}] * number}
    for _ in range(30):
        node = {"children": [node, {"text": "\n"}]}
    content = [{"value": {"node": node}}, {"value": " " * number}]
    rounds = [{"id": "a", "toolCalls": [{"id": "c", "name": "look"}]}]
    return _one(_session([_asked(0, toolCallRounds=rounds, toolCallResults={"c": {"content": content}})]))


def _deep_state(number: int) -> Files:
    depths = range(1, number // 50)
    links = ({"kind": 1, "k": ["requests", 0, *["x"] * depth], "v": {"value": "a"}} for depth in depths)
    return _lines([{"kind": 0, "v": _session([_asked(0)])}], links)


def _qwen(number: int, record: Callable[[int], dict[str, Any]]) -> Files:
    usual = {"sessionId": "s", "type": "user", "message": {"role": "user", "parts": [{"text": "a"}]}}
    return _lines({**usual, **record(n)} for n in range(number))


def _sessions(number: int) -> Files:
    text = "<user_input>a</user_input><mode_notice>b</mode_notice>" * number + "<user_input>" * number
    asked = {"id": "m", "role": "user", "content": [{"type": "text", "text": "a"}, {"type": "text", "text": text}]}
    said = ({"role": ("assistant", "user")[n % 2], "content": "a"} for n in range(number))
    return _one({"version": 1, "agent": "lead", "sessionId": "s", "messages": [asked, *said]})


def _sent(number: int) -> Files:
    said = [{"role": ("user", "assistant")[n % 2], "content": "a", "agent": "main"} for n in range(number)]
    steps = [{"query": said} if n == 9 else {} for n in range(10)]
    return _one({"history": said, "trajectory": steps, "info": {}})


def _replays(number: int) -> Files:
    sent = {"messages": [{"role": 1, "content": "a"}, {"role": 2, "content": "b"}]}
    logs = [{"kind": "request", "name": "panel/a", "requestMessages": sent} for _ in range(number)]
    return _one({"prompts": [{"prompt": "a", "logs": logs}]})


STORMS: Mapping[str, Callable[[int], Files]] = {
    "deep nesting": lambda n: Files(b'{"sessionId":"s","requests":' + b'[{"a":' * n, {}),
    "deep lines": _nested_lines,
    "glued records": lambda n: Files(bytes_of(_said(0, None)) * n, {}),
    "vscode: each request summed up": lambda n: _summed(n, lambda place: place),
    "vscode: the first request summed up by each": lambda n: _summed(n, lambda _: 0),
    "vscode: a summary in each round": _unsummed_rounds,
    "vscode: removed turns": lambda n: _one(_session([{**_asked(p), "isHidden": True} for p in range(n)])),
    "vscode: results of the next turn": lambda n: _one(
        _session([_asked(p, maxToolCallsExceeded=True) for p in range(n)])
    ),
    "vscode-log: a member of each request": lambda n: _patches(n, {"kind": 1, "k": ["requests", "*", "a"], "v": 1}),
    "vscode-log: pushes": lambda n: _patches(n, {"kind": 2, "k": ["requests"], "v": [{"message": "a"}]}),
    "vscode-log: cuts": lambda n: _patches(n, {"kind": 2, "k": ["requests"], "i": 9}),
    "vscode-log: whole states": lambda n: _lines([{"kind": 0, "v": _session([_asked(0)])}] * n),
    "vscode: a wide tree": _wide_tree,
    "vscode-log: a deep state": _deep_state,
    "claude-code: a chain": lambda n: _chain(n, 1),
    "claude-code: a chain in reverse": lambda n: _chain(n, -1),
    "claude-code: a ring": lambda n: _lines(_said(place, f"u{(place + 1) % n}") for place in range(n)),
    "claude-code: a fan": lambda n: _lines(_said(place, "u0" if place else None) for place in range(n)),
    "claude-code: boundaries": _bounded,
    "codex: rollbacks": lambda n: _codex(n, "event_msg", type="thread_rolled_back", num_turns=1),
    "codex: compactions": lambda n: _codex(n, "compacted", message="S"),
    "codex: compactions between words": _old_compactions,
    "copilot-transcript: sub-agents": _subagents,
    "copilot-cli: compactions": _compactions,
    "cline: ranges and edits": _cline,
    "roo: cuts": _roo,
    "roo: summaries": _roo_summaries,
    "continue: results": _results,
    "gemini: rewinds": lambda n: _gemini(n, {"$rewindTo": "m*"}),
    "gemini: one id": lambda n: _gemini(n, {"id": "m1", "type": "gemini", "content": "*"}),
    "gemini: replaced lists": lambda n: _lines(
        [{"projectHash": "h"}, *[{"$set": {"messages": [{"id": "m1", "type": "gemini", "content": "a"}]}}] * n]
    ),
    "gemini: calls without ids": _waiting,
    "qwen-code: gaps": lambda n: _qwen(n, lambda place: {"uuid": f"q{place}", "parentUuid": f"lost{place}"}),
    "qwen-code: fragments": lambda n: _qwen(n, lambda _: {"uuid": "q", "parentUuid": None}),
    "qwen-code: words in a turn": lambda n: _qwen(
        n, lambda place: {"uuid": f"q{place}", "parentUuid": f"q{place - 1}", "subtype": "mid_turn_user_message"}
    ),
    "cline-sdk: frames": _sessions,
    "swe-agent: sent messages": _sent,
    "sharegpt: conversations": lambda n: _lines([{"conversations": [{"from": "human", "value": "a"}]}] * n),
    "chatreplay: requests": _replays,
}


# Fillers for texts: what patterns retry at each position.
FILLERS = (" ", "\n", "<", "`", "a", "# Current Working Directory (", "<task>", "\n</userRequest>", "> a\n\n")
_TEXTS = frozenset(
    {
        *("text", "content", "value", "response", "message", "prompt", "output", "result", "args", "arguments"),
        *("summary", "request", "title", "summaryContent", "transformedContent", "reasoningText", "hookContext"),
        *("renderedUserMessage", "thought", "thinking", "input"),
    }
)


def filled(seed: Seed, filler: str, length: int) -> Files:
    """Return a seed with a filler behind each of its texts, and in front of each, of `length` characters in total."""
    if isinstance(seed.value, str):
        return Files((filler * (length // len(filler)) + seed.value).encode(), {})
    places = sum(1 for _ in _texts(seed.value))
    filling = filler * (length // (places or 1) // len(filler) // 2)
    value = deepcopy(seed.value)
    for node, key in list(_texts(value)):
        node[key] = f"{filling}{node[key]}{filling}"
    return Files(bytes_of(value, seed.is_lines), {name: bytes_of(other) for name, other in seed.siblings.items()})


def lists_of(seed: Seed) -> list[tuple[str, int]]:
    """Return the names of the lists in a seed, with the bytes that one of their items takes."""
    lists = [] if isinstance(seed.value, str) else _lists(seed.value)
    return [(name, len(bytes_of(items)) // len(items)) for name, items in lists]


def repeated(seed: Seed, number: int, times: int, own_ids: bool) -> Files:
    """Return a seed with one list repeated to about `times` items, with unique or identical ids."""
    value = deepcopy(seed.value)
    items = list(_lists(value))[number][1]
    copies = (deepcopy(items) for _ in range(1 + times // len(items)))
    items[:] = list(chain.from_iterable(_renamed(one, place) if own_ids else one for place, one in enumerate(copies)))
    return Files(bytes_of(value, seed.is_lines), {})


def _texts(value: Any) -> Iterator[tuple[Any, Any]]:
    """Yield the paths of texts: strings under names that texts have, and strings in lists under them."""
    waiting = [value]
    while waiting:
        node = waiting.pop()
        for key, child in node.items() if isinstance(node, dict) else enumerate(node):
            if isinstance(child, str) and (key in _TEXTS or isinstance(node, list)):
                yield node, key
            elif isinstance(child, dict | list):
                waiting.append(child)


def _lists(value: Any, name: str = "$") -> Iterator[tuple[str, list[Any]]]:
    if isinstance(value, list) and value:
        yield name, value
    members = value.items() if isinstance(value, dict) else enumerate(value if isinstance(value, list) else ())
    for key, child in members:
        yield from _lists(child, f"{name}.{key}")


def _renamed(value: Any, place: int) -> Any:
    """Return the value with a number appended to each id; references stay consistent."""
    if isinstance(value, dict):
        return {
            key: _own(child, place) if "id" in key.lower() else _renamed(child, place) for key, child in value.items()
        }
    return [_renamed(child, place) for child in value] if isinstance(value, list) else value


def _own(value: Any, place: int) -> Any:
    return f"{value}-{place}" if isinstance(value, str) else _renamed(value, place)
