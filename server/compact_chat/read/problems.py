"""What is wrong with an array of messages, each problem with its path (rule G4)."""

from __future__ import annotations

from collections.abc import Iterator

from compact_chat.chat import JsonObject

Problem = dict[str, str]
_TEXTS = ("text", "input_text", "output_text")
_MAY_BE_SILENT = ("assistant", "tool", "function")  # a role whose content may be null or absent


def document_problems(document: JsonObject) -> Iterator[Problem]:
    """Check what stands beside the messages, and that they are a list."""
    if not isinstance(document.get("messages"), list):
        yield _problem("$.messages", "expected a list of messages")
    yield from _text_or_blocks(document.get("system", ""), "$.system", nullable=True)
    yield from _objects(document.get("tools"), "$.tools")
    if not isinstance(document.get("model"), str | None):
        yield _problem("$.model", "expected a string")


def item_problems(item: object, path: str, typed: bool) -> Iterator[Problem]:
    """Check one message; `typed` allows items that have a type in place of a role."""
    if not isinstance(item, dict):
        yield _problem(path, "expected an object")
        return
    role = item.get("role")
    if "role" not in item and typed and isinstance(item.get("type"), str) and item["type"] != "message":
        return
    if not isinstance(role, str):
        yield _problem(f"{path}.role", "expected a string" if "role" in item else "the role is missing")
    yield from _text_or_blocks(item.get("content"), f"{path}.content", nullable=role in _MAY_BE_SILENT)
    yield from _objects(item.get("tool_calls"), f"{path}.tool_calls")


def _text_or_blocks(content: object, path: str, nullable: bool) -> Iterator[Problem]:
    if isinstance(content, list):
        for place, block in enumerate(content):
            yield from _block_problems(block, f"{path}[{place}]")
    elif not (isinstance(content, str) or (content is None and nullable)):
        yield _problem(path, "expected a string or a list of blocks")


def _block_problems(block: object, path: str) -> Iterator[Problem]:
    if not isinstance(block, dict):
        yield _problem(path, "expected an object")
        return
    kind = block.get("type")
    if not isinstance(kind, str):
        yield _problem(f"{path}.type", "expected a string")
    elif kind in _TEXTS and not isinstance(block.get("text"), str):
        yield _problem(f"{path}.text", "expected a string")
    elif kind == "tool_result":
        yield from _result_problems(block.get("content"), f"{path}.content")


def _result_problems(content: object, path: str) -> Iterator[Problem]:
    for place, block in enumerate(content if isinstance(content, list) else ()):
        if not isinstance(block, dict):
            yield _problem(f"{path}[{place}]", "expected an object")
        elif block.get("type") in _TEXTS and not isinstance(block.get("text"), str):
            yield _problem(f"{path}[{place}].text", "expected a string")


def _objects(value: object, path: str) -> Iterator[Problem]:
    if not isinstance(value, list | None):
        yield _problem(path, "expected a list")
        return
    for place, one in enumerate(value or ()):
        if not isinstance(one, dict):
            yield _problem(f"{path}[{place}]", "expected an object")


def _problem(path: str, message: str) -> Problem:
    return {"path": path, "message": message}
