"""Which API an array of messages was written for, as far as the messages themselves tell."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from compact_chat.chat import JsonObject
from compact_chat.read.lenient import objects, word
from compact_chat.read.source import Watch

# Items that are no message and so have no role.
ROLELESS_ITEMS = frozenset(
    {
        "reasoning",
        "function_call",
        "function_call_output",
        "custom_tool_call",
        "custom_tool_call_output",
        "local_shell_call",
        "local_shell_call_output",
        "web_search_call",
        "file_search_call",
        "computer_call",
        "computer_call_output",
        "code_interpreter_call",
        "image_generation_call",
        "mcp_call",
        "item_reference",
        "compaction",
    }
)
_RESPONSES_BLOCKS = frozenset({"input_text", "output_text", "input_image", "input_file"})
_CHAT_BLOCKS = frozenset({"image_url", "input_audio", "refusal", "file"})
_ANTHROPIC_BLOCKS = frozenset(
    {"thinking", "redacted_thinking", "tool_use", "tool_result", "image", "document", "server_tool_use"}
)


def told(items: object, watch: Watch = tuple) -> str | None:
    """Name the format that the messages give away; None where they would fit several."""
    messages = watch(objects(items))
    return next((name for name, gives_away in _SIGNS if any(map(gives_away, messages))), None)


def _calls_the_chat_way(item: JsonObject) -> bool:
    return "tool_calls" in item or "function_call" in item or item.get("role") in ("tool", "function")


def _is_responses_item(item: JsonObject) -> bool:
    blocks = set(_block_types(item))
    kind = word(item.get("type"))
    is_message = kind == "message" and not blocks & _ANTHROPIC_BLOCKS
    return is_message or kind in ROLELESS_ITEMS or bool(blocks & _RESPONSES_BLOCKS)


def _speaks_the_chat_way(item: JsonObject) -> bool:
    return item.get("role") == "developer" or not _CHAT_BLOCKS.isdisjoint(_block_types(item))


def _has_anthropic_blocks(item: JsonObject) -> bool:
    return not _ANTHROPIC_BLOCKS.isdisjoint(_block_types(item))


def _block_types(item: JsonObject) -> Iterator[str]:
    return (word(block.get("type")) for block in objects(item.get("content")))


# The strongest sign first: a developer message alone may stand among responses items too.
_SIGNS: tuple[tuple[str, Callable[[JsonObject], bool]], ...] = (
    ("openai-chat", _calls_the_chat_way),
    ("openai-responses", _is_responses_item),
    ("openai-chat", _speaks_the_chat_way),
    ("anthropic", _has_anthropic_blocks),
)
