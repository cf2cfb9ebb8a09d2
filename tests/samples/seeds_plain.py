"""Handmade chats that belong to no editor: trajectories, data sets, arrays for model APIs, Markdown and text."""

from __future__ import annotations

from tests.samples.seeds import Seed, lines

_CALL = {"id": "c-1", "type": "function", "function": {"name": "bash", "arguments": '{"command":"ls"}'}}
_RUN = {
    "environment": "swe_main",
    "replay_config": '{"agent":{"model":{"name":"gpt-4o"}},"problem_statement":{"id":"areas-1"}}',
    "trajectory": [{"action": "ls", "query": [{"role": "system", "content": "You help."}], "messages": []}],
    "history": [
        {"role": "system", "content": "You help.", "agent": "main", "message_type": "system_prompt"},
        {"role": "user", "content": [{"type": "text", "text": "Fix it."}], "agent": "main", "is_demo": True},
        {
            "role": "assistant",
            "content": "I look.",
            "agent": "main",
            "thought": "hm",
            "thinking_blocks": [{"type": "thinking", "thinking": "hm"}],
            "tool_calls": [_CALL],
        },
        {"role": "tool", "content": "a.py", "agent": "main", "tool_call_ids": ["c-1"]},
        {"role": "user", "content": "other", "agent": "second"},
    ],
    "info": {"model_stats": {"tokens_sent": 900}, "exit_status": "submitted"},
}
_SHAREGPT = {
    "title": "Areas",
    "system": "You help.",
    "conversations": [
        {"from": "human", "value": "Look"},
        {"from": "gpt", "value": "Done."},
        {"from": "tool", "value": "a"},
        {"from": "other", "value": "odd"},
    ],
}
_ANTHROPIC = [
    {"role": "user", "content": "Look"},
    {
        "role": "assistant",
        "content": [
            {"type": "thinking", "thinking": "hm", "signature": "x"},
            {"type": "redacted_thinking", "data": "x"},
            {"type": "tool_use", "id": "c-1", "name": "read", "input": {"path": "a.py"}},
            {"type": "server_tool_use", "id": "s-1", "name": "web_search", "input": {}},
        ],
    },
    {
        "role": "user",
        "content": [
            {
                "type": "tool_result",
                "tool_use_id": "c-1",
                "is_error": True,
                "content": [{"type": "image", "source": {"type": "base64", "media_type": "image/png", "data": "QQ=="}}],
            },
            {"type": "document", "title": "a", "source": {"type": "text", "data": "a line"}},
        ],
    },
]
_OPENAI = [
    {"role": "developer", "content": "You help."},
    {"role": "user", "content": [{"type": "image_url", "image_url": {"url": "data:image/png;base64,QQ=="}}]},
    {"role": "assistant", "content": None, "tool_calls": [_CALL], "refusal": "no"},
    {"role": "tool", "tool_call_id": "c-1", "content": "a.py"},
    {"role": "assistant", "content": "", "function_call": {"name": "bash", "arguments": "{}"}},
    {"role": "function", "name": "bash", "content": "b"},
]
_RESPONSES = [
    {"type": "message", "role": "user", "content": [{"type": "input_text", "text": "Look"}]},
    {"type": "reasoning", "summary": [{"type": "summary_text", "text": "hm"}], "encrypted_content": "x"},
    {"type": "function_call", "name": "bash", "arguments": "{}", "call_id": "c-1"},
    {"type": "function_call_output", "call_id": "c-1", "output": "a"},
    {"type": "web_search_call", "id": "w-1", "action": {"query": "a"}},
    {"type": "custom_tool_call", "call_id": "c-2", "name": "apply_patch", "input": "*** Begin Patch"},
    {"role": "assistant", "content": [{"type": "output_text", "text": "Done."}]},
]
_MARKDOWN = "# Chat\n\n## User\n\nLook\n\n```py\n## Assistant\n```\n\n## Assistant\n\nDone.\n\n## User\n\nThanks\n"
_TERMINAL = "> look at a.py\n\n⏺ Read(a.py)\n  ⎿  a line\n\n⏺ Done.\n\n> thanks\n\n⏺ Sure\n"
SEEDS = (
    Seed("swe-agent", _RUN),
    Seed("sharegpt", _SHAREGPT),
    lines("sharegpt", _SHAREGPT, _SHAREGPT),
    Seed(
        "anthropic",
        {"model": "claude-sonnet-4-5", "system": "You help.", "tools": [{"name": "read"}], "messages": _ANTHROPIC},
    ),
    lines("anthropic", *_ANTHROPIC),
    Seed("openai-chat", _OPENAI),
    Seed("openai-responses", _RESPONSES),
    Seed("markdown", _MARKDOWN),
    Seed("markdown", _TERMINAL),
    Seed("text", "Look at a.py\n\nIt holds areas.\n"),
)
