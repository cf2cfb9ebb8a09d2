"""Handmade chats of Cline, Roo Code, Continue and Gemini CLI."""

from __future__ import annotations

from typing import Any

from tests.samples.seeds import Seed, lines

_NOTES = (
    "<environment_details>\n# Visual Studio Code Visible Files\na.py\n\n"
    "# Current Working Directory (/w) Files\na.py\n\n# Context Window Usage\n92,557 / 128K tokens used (72%)\n"
    "</environment_details>"
)
_HISTORY = [
    {
        "role": "user",
        "content": [{"type": "text", "text": "<task>\nList the areas\n</task>"}, {"type": "text", "text": _NOTES}],
    },
    {
        "role": "assistant",
        "content": [
            {"type": "reasoning", "text": "hm", "summary": [{"text": "hm"}]},
            {"type": "text", "text": "I look."},
            {"type": "tool_use", "id": "c-1", "name": "read_file", "input": {"path": "a.py"}},
        ],
        "modelInfo": {"modelId": "claude-sonnet-4-5", "providerId": "anthropic", "mode": "act"},
        "metrics": {"tokens": {"prompt": 900, "completion": 9, "cached": 90}},
        "ts": 3,
    },
    {
        "role": "user",
        "content": [
            {"type": "tool_result", "tool_use_id": "c-1", "content": "a line"},
            {"type": "text", "text": "[write_to_file for 'a.py'] Result:"},
            {"type": "text", "text": "Provided feedback:\n<feedback>\nshorter\n</feedback>"},
        ],
    },
    {"role": "assistant", "content": "Done.", "ts": 6},
    {"role": "user", "content": "This session is being continued from a previous conversation. All of it."},
    {
        "role": "assistant",
        "content": [{"type": "tool_use", "id": "c-2", "name": "condense", "input": {"context": "All"}}],
    },
]
_UI = [
    {"ts": 1, "type": "say", "say": "task", "text": "List the areas", "conversationHistoryIndex": -1},
    {
        "ts": 2,
        "type": "say",
        "say": "api_req_started",
        "text": '{"request":"<task>","tokensIn":90,"tokensOut":9,"cacheReads":900,"apiProtocol":"openai"}',
        "conversationHistoryIndex": 0,
        "modelInfo": {"modelId": "claude-sonnet-4-5", "providerId": "anthropic"},
    },
    {"ts": 3, "type": "say", "say": "reasoning", "text": "hm"},
    {"ts": 4, "type": "ask", "ask": "tool", "text": '{"tool":"readFile","path":"a.py","content":"a line"}'},
    {"ts": 5, "type": "ask", "ask": "command", "text": "ls"},
    {"ts": 6, "type": "say", "say": "command_output", "text": "a.py"},
    {"ts": 7, "type": "ask", "ask": "followup", "text": '{"question":"Which?","options":["a"]}', "partial": True},
    {"ts": 8, "type": "ask", "ask": "use_mcp_server", "text": '{"toolName":"look","arguments":"{}"}'},
    {"ts": 9, "type": "say", "say": "user_feedback", "text": "shorter", "conversationHistoryDeletedRange": [2, 3]},
    {"ts": 9, "type": "say", "say": "completion_result", "text": "Done.", "conversationHistoryIndex": 3},
]
_EDITS = [[0, [1, [[0, [[5, "text", ["<task>\nList\n</task>"], []]]]]]]]
_METADATA = {"model_usage": [{"model_id": "claude-sonnet-4-5"}], "files_in_context": []}
_CLINE = {"context_history.json": _EDITS, "task_metadata.json": _METADATA}

_ROO_HISTORY = [
    {"role": "user", "ts": 1, "content": [{"type": "text", "text": "<user_message>\nCount\n</user_message>"}]},
    {"role": "assistant", "ts": 2, "content": "Counting.", "condenseParent": "k-1", "reasoning_content": "hm"},
    {"type": "reasoning", "ts": 3, "encrypted_content": "x", "summary": []},
    {"role": "user", "ts": 4, "content": "All before.", "isSummary": True, "condenseId": "k-1"},
    {"role": "user", "ts": 5, "content": "hidden", "truncationParent": "t-1"},
    {"role": "user", "ts": 6, "content": "cut", "isTruncationMarker": True, "truncationId": "t-1"},
    {
        "role": "assistant",
        "ts": 7,
        "content": [{"type": "tool-call", "toolCallId": "c-1", "toolName": "look", "input": {"a": 1}}],
    },
    {
        "role": "tool",
        "ts": 8,
        "content": [{"type": "tool-result", "toolCallId": "c-1", "output": {"type": "text", "value": "[ERROR] no"}}],
    },
    {
        "role": "user",
        "ts": 9,
        "content": [{"type": "image", "image": "QQ==", "mediaType": "image/png"}, {"type": "file"}],
    },
]
_ROO_UI = [
    {"ts": 1, "type": "say", "say": "text", "text": "Count"},
    {
        "ts": 2,
        "type": "say",
        "say": "api_req_started",
        "text": '{"apiProtocol":"anthropic","tokensIn":9,"tokensOut":9}',
    },
    {"ts": 4, "type": "say", "say": "condense_context", "contextCondense": {"summary": "All", "newContextTokens": 9}},
    {"ts": 6, "type": "say", "say": "sliding_window_truncation", "contextTruncation": {"truncationId": "t-1"}},
    {"ts": 8, "type": "say", "say": "text", "text": "Nine."},
]


def _item(role: str, content: Any, **more: Any) -> dict[str, Any]:
    about = {key: more.pop(key) for key in ("toolCalls", "toolCallId", "usage") if key in more}
    return {"message": {"role": role, "content": content, "id": f"i-{role}", **about}, "contextItems": [], **more}


_CONTINUE = {
    "sessionId": "s-1",
    "title": "Areas",
    "workspaceDirectory": "file:///w",
    "chatModelTitle": "Qwen",
    "history": [
        _item("user", "old", conversationSummary="All before."),
        _item("system", "You help."),
        {
            **_item(
                "user",
                [
                    {"type": "text", "text": "Look"},
                    {"type": "imageUrl", "imageUrl": {"url": "data:image/png;base64,QQ=="}},
                ],
            ),
            "contextItems": [{"content": "a line", "name": "a.py"}],
        },
        _item("thinking", "hm"),
        _item(
            "assistant",
            "I look.",
            toolCalls=[
                {
                    "id": "c-1",
                    "type": "function",
                    "function": {"name": "read_file", "arguments": '{"filepath":"a.py"}'},
                },
                {"id": "c-2", "type": "function", "function": {"name": "run", "arguments": "{"}},
            ],
            usage={"promptTokens": 900, "completionTokens": 9, "promptTokensDetails": {"cachedTokens": 90}},
            toolCallStates=[{"toolCallId": "c-2", "status": "errored", "output": [{"content": "no"}]}],
            promptLogs=[{"modelTitle": "Qwen", "prompt": "p", "completion": "c"}],
        ),
        _item("tool", "a line", toolCallId="c-1"),
    ],
}
_GEMINI: list[dict[str, Any]] = [
    {"sessionId": "s-1", "projectHash": "h", "startTime": "t", "lastUpdated": "t", "kind": "main", "summary": "Areas"},
    {
        "id": "m-1",
        "type": "user",
        "content": [{"text": "Look at @a.py"}, {"text": "--- Content from referenced files ---"}],
    },
    {
        "id": "m-2",
        "type": "gemini",
        "content": [{"thought": True, "text": "hm"}, {"functionCall": {"name": "read_file", "args": {"path": "a.py"}}}],
        "model": "gemini-3-pro",
        "tokens": {"input": 900, "output": 9, "cached": 90, "thoughts": 9, "tool": 0, "total": 918},
        "toolCalls": [
            {
                "id": "c-1",
                "name": "read_file",
                "args": {"path": "a.py"},
                "status": "success",
                "result": [{"functionResponse": {"id": "c-1", "name": "read_file", "response": {"output": "a line"}}}],
            },
            {"id": "c-2", "name": "run", "args": {}, "status": "cancelled", "result": "no"},
        ],
    },
    {"id": "m-3", "type": "info", "content": "told"},
    {"id": "m-2", "type": "gemini", "content": "Replaced.", "model": "gemini-3-pro"},
    {"id": "m-4", "type": "user", "content": {"inlineData": {"mimeType": "image/png", "data": "QQ=="}}},
    {"$rewindTo": "m-4"},
    {"$set": {"lastUpdated": "u", "summary": "Areas again"}},
    {
        "$set": {
            "messages": [
                {"id": "m-5", "type": "user", "content": "<state_snapshot>All</state_snapshot>"},
                {"id": "m-6", "type": "gemini", "content": "Got it.", "tokens": {"input": 90, "output": 9}},
                {"id": "m-6", "type": "user", "content": [{"fileData": {"mimeType": "a/b", "fileUri": "gs://a"}}]},
            ]
        }
    },
    {"id": "m-7", "type": "user", "content": "/about"},
]
_CHECKPOINT = {
    "history": [
        {"role": "user", "parts": [{"text": "Look"}]},
        {"role": "model", "parts": [{"functionCall": {"name": "run", "args": {}}}, {"text": "ok"}]},
        {"role": "user", "parts": [{"functionResponse": {"name": "run", "response": {"error": "no"}}}]},
    ]
}
_SDK = {
    "version": 1,
    "agent": "lead",
    "sessionId": "s-1",
    "messages": [
        {"id": "m-1", "role": "user", "content": [{"type": "text", "text": "<user_input>Look</user_input>"}], "ts": 1},
        {
            "id": "m-2",
            "role": "assistant",
            "modelInfo": {"id": "claude-x", "provider": "cline"},
            "metrics": {"inputTokens": 900, "outputTokens": 9, "cacheReadTokens": 90, "cacheWriteTokens": 0},
            "content": [
                {"type": "thinking", "thinking": "hm"},
                {"type": "tool_use", "id": "c-1", "name": "run_commands", "input": {"commands": ["ls"]}},
            ],
        },
        {
            "id": "m-3",
            "role": "user",
            "content": [
                {
                    "type": "tool_result",
                    "tool_use_id": "c-1",
                    "content": [{"query": "ls", "result": "a.py", "success": False}],
                },
                {"type": "file", "path": "/a.py", "content": "a line"},
                {"type": "image", "data": "QQ==", "mediaType": "image/png"},
            ],
        },
        {"id": "m-4", "role": "assistant", "content": [{"type": "text", "text": "ok"}]},
    ],
    "system_prompt": "You help.\n4. Working Directory: /w\n",
}
_SDK_BESIDE = {
    "chat.compaction.json": {
        "version": 1,
        "source_message_count": 2,
        "source_last_message_key": "id:m-2",
        "messages": [
            {"role": "user", "content": "Context summary:\n\nAll.", "metadata": {"kind": "compaction_summary"}},
        ],
    },
    "chat.json": {"cwd": "/w", "metadata": {"title": "Areas"}},
}
SEEDS = (
    Seed("cline-sdk", _SDK),
    Seed("cline-sdk", _SDK, beside=_SDK_BESIDE),
    Seed("cline", _HISTORY, beside={"ui_messages.json": _UI, **_CLINE}),
    Seed("cline", _UI),
    Seed("roo", _ROO_HISTORY, beside={"ui_messages.json": _ROO_UI}),
    Seed("roo", {"version": 2, "messages": _ROO_HISTORY}),
    Seed("roo", _ROO_UI),
    Seed("continue", _CONTINUE),
    Seed("gemini", {**_GEMINI[0], "messages": _GEMINI[1:4]}),
    Seed("gemini", _CHECKPOINT),
    lines("gemini", *_GEMINI),
)
