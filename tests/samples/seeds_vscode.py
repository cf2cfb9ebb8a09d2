"""Handmade chats of VS Code: sessions, exports, operation logs, and prompts exported for a replay."""

from __future__ import annotations

from typing import Any

from tests.samples.seeds import Seed, lines

_TREE = {
    "node": {
        "type": 1,
        "ctor": 2,
        "children": [
            {"type": 2, "text": "def area", "lineBreakBefore": True, "priority": 1},
            {"ctor": 3, "children": [], "props": {"src": "data:image/png;base64,QQ==", "detail": "low"}},
            {"type": 1, "ctor": 1, "children": [{"type": 2, "text": "(r):", "lineBreakBefore": False}]},
        ],
    }
}
_RESULT = {
    "$mid": 20,
    "content": [
        {"$mid": 21, "value": "a line", "audience": [0, 1]},
        {"$mid": 23, "value": _TREE},
        {"$mid": 24, "mimeType": "image/png", "data": "QQ=="},
    ],
}
_ROUNDS = [
    {
        "id": "round-1",
        "response": "I look at it.",
        "toolCalls": [{"id": "call-1__vscode-7", "name": "copilot_readFile", "arguments": '{"filePath":"/w/a.py"}'}],
        "thinking": {"id": "t", "text": "hm"},
        "summary": "All before was about areas.",
        "hookContext": "mind the tests",
    },
    {"id": "round-2", "response": "Done.", "toolCalls": [], "phase": "final"},
]
_METADATA = {
    "renderedUserMessage": [
        {"type": 1, "text": "<context>\nNov 18\n</context>\n<userRequest>\nRead a.py\n</userRequest>\n"},
        {"type": 0, "imageUrl": {"url": "data:image/png;base64,QQ==", "detail": "low"}},
    ],
    "renderedGlobalContext": [{"type": 1, "text": "<environment_info>linux</environment_info>"}],
    "cacheKey": "file:///w,file:///x",
    "globalContextCacheKey": "file:///w",
    "toolCallRounds": _ROUNDS,
    "toolCallResults": {"call-1__vscode-7": _RESULT},
    "summaries": [{"toolCallRoundId": "round-1", "text": "All before.", "source": "background"}],
    "summary": {"toolCallRoundId": "round-1", "text": "All before."},
    "maxToolCallsExceeded": True,
    "promptTokens": 900,
    "outputTokens": 9,
    "resolvedModel": "claude-sonnet-4.5",
}
_SHOWN = {
    "kind": "toolInvocationSerialized",
    "toolId": "run_in_terminal",
    "toolCallId": "call-2",
    "invocationMessage": {"value": "Running"},
    "pastTenseMessage": "Ran",
    "isComplete": True,
    "isConfirmed": {"type": 4},
    "presentation": "full",
    "resultDetails": {
        "input": '{"a":1}',
        "output": [{"value": "out", "isText": True}, {"mimeType": "image/png", "value": "QQ==", "isText": False}],
        "isError": True,
    },
    "toolSpecificData": {"kind": "terminal", "commandLine": {"original": "ls -l"}, "command": "ls"},
}
_REQUESTS = [
    {
        "requestId": "request-1",
        "modelId": "copilot/auto",
        "timestamp": 1,
        "message": {"text": "Read a.py", "parts": [{"kind": "text", "range": {"start": 0, "endExclusive": 9}}]},
        "response": [{"value": "I look at it."}],
        "result": {"metadata": _METADATA, "timings": {"firstProgress": 1}},
        "promptTokens": 950,
        "completionTokens": 12,
        "isSystemInitiated": True,
    },
    {
        "requestId": "request-2",
        "modelId": "copilot/gpt-5",
        "agent": {"id": "github.copilot.editsAgent"},
        "message": {"text": "@agent Go on", "parts": [{"kind": "agent", "range": {"start": 0, "endExclusive": 7}}]},
        "response": [
            {"value": "words", "uris": {}},
            _SHOWN,
            {"kind": "inlineReference", "name": "area", "inlineReference": {"uri": {"path": "/w/a.py"}}},
            {"kind": "markdownVuln", "content": {"value": "more"}},
            "a plain string",
            {"kind": "undoStop", "id": "u"},
        ],
        "shouldBeRemovedOnSend": {"requestId": "request-2", "afterUndoStop": "u"},
    },
    {"requestId": "request-3", "message": "old form", "isHidden": True, "confirmation": "Try Again", "response": "one"},
]
_SESSION: dict[str, Any] = {
    "version": 3,
    "sessionId": "s-1",
    "creationDate": 1,
    "customTitle": "Areas",
    "computedTitle": "Areas",
    "responderUsername": "GitHub Copilot",
    "workingDirectory": "file:///w",
    "inputState": {
        "inputText": "unsent",
        "selectedModel": {
            "identifier": "copilot/gpt-5",
            "modelConfiguration": {"contextSize": 64000},
            "metadata": {
                "maxInputTokens": 128000,
                "maxOutputTokens": 16000,
                "configurationSchema": {"properties": {"contextSize": {"default": 64000}}},
            },
        },
    },
    "requests": _REQUESTS,
}
_OPERATIONS = [
    {"kind": 0, "v": {**_SESSION, "requests": _REQUESTS[:1]}},
    {"kind": 1, "k": ["customTitle"], "v": "Other areas"},
    {"kind": 2, "k": ["requests"], "v": _REQUESTS[1:]},
    {"kind": 2, "k": ["requests", 1, "response"], "i": 1, "v": [{"value": "cut and told again"}]},
    {"kind": 1, "k": ["requests", 1, "result"], "v": {"metadata": {**_METADATA, "summary": None}}},
    {"kind": 3, "k": ["requests", 0, "isSystemInitiated"]},
    {"kind": 1, "k": ["requests", 2, "message", "text"], "v": "into nothing"},
]
_REPLAY = {
    "exportedAt": "2026-11-18T00:00:00Z",
    "totalPrompts": 1,
    "prompts": [
        {
            "prompt": "Read a.py",
            "logs": [
                {"kind": "element", "name": "tree"},
                {
                    "kind": "request",
                    "name": "panel/editAgent",
                    "metadata": {
                        "model": "claude-sonnet-4.5",
                        "maxPromptTokens": 128000,
                        "usage": {"prompt_tokens": 900, "completion_tokens": 9},
                        "tools": [{"type": "function", "function": {"name": "read_file"}}],
                    },
                    "requestMessages": {
                        "messages": [
                            {"role": 0, "content": [{"type": 1, "text": "You help."}]},
                            {"role": 1, "content": [{"type": 0, "imageUrl": {"url": "https://e.org/a.png"}}]},
                            {
                                "role": 2,
                                "content": "words",
                                "toolCalls": [{"id": "c-1", "function": {"name": "read_file", "arguments": "{}"}}],
                            },
                            {"role": 3, "toolCallId": "c-1", "content": [{"type": 1, "text": "a line"}]},
                        ]
                    },
                    "response": {"type": "success", "message": ["It is", " so."]},
                },
                {"kind": "toolCall", "id": "c-2", "tool": "grep", "args": '{"q":"a"}', "response": ["found", 1]},
            ],
        }
    ],
}
SEEDS = (
    Seed("vscode", _SESSION),
    Seed("vscode-export", {"responderUsername": "GitHub Copilot", "requests": _REQUESTS}),
    lines("vscode-log", *_OPERATIONS),
    Seed("chatreplay", _REPLAY),
)
