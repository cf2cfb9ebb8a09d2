"""Handmade logs: Claude Code, Codex, the Copilot CLI and the transcripts of Copilot Chat."""

from __future__ import annotations

from typing import Any

from tests.samples.seeds import lines


def _claude(uuid: str, parent: str | None, kind: str, **more: Any) -> dict[str, Any]:
    where = {"sessionId": "s-1", "cwd": "/w", "version": "2.1.62", "isSidechain": False}
    return {"parentUuid": parent, "type": kind, "uuid": uuid, "timestamp": "2026-05-01T10:00:00Z", **where, **more}


def _spoken(name: str, block: dict[str, Any]) -> dict[str, Any]:
    usage = {"input_tokens": 9, "cache_creation_input_tokens": 90, "cache_read_input_tokens": 900, "output_tokens": 9}
    return {"id": name, "role": "assistant", "model": "claude-sonnet-4-5", "content": [block], "usage": usage}


def _answered(call: str, content: Any) -> dict[str, Any]:
    return {"role": "user", "content": [{"type": "tool_result", "tool_use_id": call, "content": content}]}


_SEGMENT = {"headUuid": "u1", "anchorUuid": "b2", "tailUuid": "a1"}
_CLAUDE = (
    {"type": "summary", "summary": "Areas", "leafUuid": "a3"},
    {"type": "custom-title", "customTitle": "Areas", "sessionId": "s-1"},
    _claude("u1", None, "user", message={"role": "user", "content": "Read a.py and b.py."}),
    _claude("p1", "u1", "progress", data={"type": "hook"}),
    _claude("a1", "p1", "assistant", message=_spoken("m1", {"type": "thinking", "thinking": "hm", "signature": "x"})),
    _claude(
        "a2",
        "a1",
        "assistant",
        message=_spoken("m1", {"type": "tool_use", "id": "c1", "name": "Read", "input": {"file_path": "/w/a.py"}}),
    ),
    _claude(
        "a3", "a2", "assistant", message=_spoken("m1", {"type": "tool_use", "id": "c2", "name": "Bash", "input": {}})
    ),
    _claude("r1", "a2", "user", message=_answered("c1", "a line"), toolUseResult={"file": {"content": "a line"}}),
    _claude("r2", "a3", "user", message=_answered("c2", [{"type": "text", "text": "ok"}])),
    _claude(
        "x1", "r2", "attachment", attachment={"type": "nested_memory", "content": {"content": "mind"}, "path": "/m"}
    ),
    _claude(
        "x2", "x1", "attachment", attachment={"type": "queued_command", "prompt": "and b", "commandMode": "prompt"}
    ),
    _claude(
        "k1",
        "x2",
        "system",
        subtype="microcompact_boundary",
        microcompactMetadata={"compactedToolIds": ["c1"], "tokensSaved": 9, "clearedAttachmentUUIDs": ["x1"]},
    ),
    _claude(
        "b1",
        None,
        "system",
        subtype="compact_boundary",
        logicalParentUuid="k1",
        compactMetadata={"trigger": "auto", "preTokens": 9000, "preservedSegment": _SEGMENT},
    ),
    _claude("b2", "b1", "user", isCompactSummary=True, message={"role": "user", "content": "This session is being…"}),
    _claude("a4", "b2", "assistant", isApiErrorMessage=True, message=_spoken("m2", {"type": "text", "text": "529"})),
    _claude("u2", "gone", "user", isMeta=True, message={"role": "user", "content": "<command-name>/x</command-name>"}),
    _claude("a5", "u2", "assistant", message=_spoken("m3", {"type": "text", "text": "Done."})),
)


def _codex(kind: str, **payload: Any) -> dict[str, Any]:
    return {"timestamp": "2026-05-01T10:00:00Z", "type": kind, "payload": payload}


_TOTALS = {"input_tokens": 900, "cached_input_tokens": 90, "output_tokens": 9, "total_tokens": 909}
_SAID = {"type": "message", "role": "user", "content": [{"type": "input_text", "text": "Go on."}]}
_CODEX = (
    _codex("session_meta", id="s-1", cwd="/w", originator="codex_cli_rs", cli_version="0.142.0", git={}),
    _codex("turn_context", cwd="/w", model="gpt-5.5", effort="medium"),
    _codex("response_item", type="message", role="developer", content=[{"type": "input_text", "text": "mind"}]),
    _codex("response_item", **_SAID),
    _codex("event_msg", type="user_message", message="Go on."),
    _codex("event_msg", type="task_started", model_context_window=258400),
    _codex("response_item", type="reasoning", summary=[{"type": "summary_text", "text": "hm"}], encrypted_content="x"),
    _codex("response_item", type="function_call", name="shell", arguments='{"command":["ls"]}', call_id="c-1"),
    _codex("response_item", type="function_call_output", call_id="c-1", output='{"output":"a","metadata":{}}'),
    _codex("response_item", type="custom_tool_call", name="apply_patch", input="*** Begin Patch", call_id="c-2"),
    _codex(
        "response_item", type="custom_tool_call_output", call_id="c-2", output=[{"type": "input_text", "text": "o"}]
    ),
    _codex("response_item", type="local_shell_call", call_id="c-3", action={"type": "exec", "command": ["ls"]}),
    _codex("response_item", type="web_search_call", status="completed", action={"query": "a"}),
    _codex("event_msg", type="token_count", info={"total_token_usage": _TOTALS, "last_token_usage": _TOTALS}),
    _codex(
        "compacted", message="Summed up.", replacement_history=[_SAID, {"type": "compaction", "encrypted_content": "x"}]
    ),
    _codex("response_item", type="message", role="assistant", content=[{"type": "output_text", "text": "Done."}]),
    _codex("event_msg", type="thread_rolled_back", num_turns=1),
    _codex("inter_agent_communication", content="from another", author="root"),
    _codex("event_msg", type="turn_aborted"),
)
_OLD_CODEX = (
    {"id": "s-1", "timestamp": "2025-06-01T10:00:00Z", "instructions": "mind", "git": {}},
    {"record_type": "state"},
    {"type": "message", "role": "user", "content": [{"type": "input_text", "text": "Go on."}]},
    {"type": "function_call", "name": "shell", "arguments": "{}", "call_id": "c-1"},
    {"type": "function_call_output", "call_id": "c-1", "output": "a"},
)


def _event(kind: str, name: str, **data: Any) -> dict[str, Any]:
    return {"type": kind, "id": name, "timestamp": "2026-05-01T10:00:00Z", "parentId": None, "data": data}


_COPILOT = (
    _event("system.message", "e2", role="system", content="You help."),
    _event("user.message", "e3", content="Read", transformedContent="<current_datetime>now</current_datetime>\nRead"),
    _event(
        "user.message", "e4", content="", source="skill-x", attachments=[{"assetId": "as-1", "mimeType": "image/png"}]
    ),
    _event("session.binary_asset", "e5", assetId="as-1", mimeType="image/png", data="QQ=="),
    _event("assistant.turn_start", "e6", turnId="0"),
    _event(
        "assistant.message",
        "e7",
        content="I look.",
        reasoningText="hm",
        model="gpt-5",
        toolRequests=[{"toolCallId": "c-1", "name": "view", "arguments": {"path": "/w/a.py"}}],
    ),
    _event("assistant.usage", "e8", inputTokens=900, outputTokens=9, model="gpt-5"),
    _event("tool.execution_start", "e9", toolCallId="c-1", toolName="view", arguments={"path": "/w/a.py"}),
    _event("tool.execution_complete", "e10", toolCallId="c-1", success=True, result={"content": "a line"}),
    _event("tool.execution_complete", "e11", toolCallId="c-9", success=False, error={"message": "no"}),
    _event("session.compaction_start", "e12"),
    _event("assistant.message", "e13", content="meanwhile", parentToolCallId="c-5"),
    _event("session.compaction_complete", "e14", success=True, summaryContent="All before.", systemTokens=9),
    _event("session.truncation", "e15", messagesRemovedDuringTruncation=3, tokenLimit=128000),
    _event("session.title_changed", "e16", title="Areas"),
    _event("session.context_cleared", "e17", initialMessage="anew"),
    _event(
        "tool.execution_start", "e18", toolCallId="c-7", toolName="runSubagent", arguments={"prompt": "look for it"}
    ),
    _event("user.message", "e19", content="look for it"),
    _event("session.shutdown", "e20", currentTokens=900, systemTokens=9, conversationTokens=9, toolDefinitionsTokens=9),
)


def _qwen(uuid: str, parent: str | None, kind: str, *parts: dict[str, Any], **more: Any) -> dict[str, Any]:
    where = {"sessionId": "s-1", "cwd": "/w", "version": "0.24.0"}
    message = {"role": "model" if kind == "assistant" else "user", "parts": list(parts)}
    return {"uuid": uuid, "parentUuid": parent, "type": kind, **where, "message": message, **more}


_QWEN = (
    _qwen("q1", None, "user", {"text": "Look"}, systemPayload={"displayText": "Look", "hookContext": "hm"}),
    _qwen("x1", "q1", "assistant", {"text": "Dead end."}),
    _qwen("q2", "q1", "system", subtype="rewind", systemPayload={"targetUuid": "q1"}),
    _qwen(
        "q3",
        "q2",
        "assistant",
        {"text": "hm", "thought": True},
        {"functionCall": {"id": "c-1", "name": "read_file", "args": {"file_path": "/w/a.py"}}},
        model="qwen3-coder",
        contextWindowSize=262144,
        usageMetadata={"promptTokenCount": 900, "candidatesTokenCount": 9, "totalTokenCount": 909},
    ),
    _qwen("q3", "q2", "assistant", {"text": "I look."}),
    _qwen(
        "q4",
        "q3",
        "tool_result",
        {"functionResponse": {"id": "c-1", "name": "read_file", "response": {"output": "a line"}}},
        toolCallResult={"callId": "c-1", "status": "error", "resultDisplay": "a line"},
    ),
    _qwen("q5", "q4", "user", {"text": "and b"}, subtype="mid_turn_user_message"),
    _qwen(
        "q6",
        "q5",
        "system",
        subtype="chat_compression",
        systemPayload={
            "info": {"newTokenCount": 90},
            "compressedHistory": [{"role": "user", "parts": [{"text": "<state_snapshot>All</state_snapshot>"}]}],
        },
    ),
    _qwen("q7", "lost", "user", {"text": "/stats"}),
    _qwen(
        "q8",
        "q7",
        "system",
        subtype="slash_command",
        systemPayload={"phase": "result", "rawCommand": "/stats", "outputHistoryItems": [{"type": "assistant"}]},
    ),
    _qwen("q9", "q8", "system", subtype="custom_title", systemPayload={"customTitle": "Areas"}),
    _qwen("q10", "q9", "user", {"text": "Go on"}),
)
SEEDS = (
    lines("claude-code", *_CLAUDE),
    lines("qwen-code", *_QWEN),
    lines("codex", *_CODEX),
    lines("codex", *_OLD_CODEX),
    lines("copilot-cli", _event("session.start", "e1", selectedModel="gpt-5", context={"cwd": "/w"}), *_COPILOT),
    lines(
        "copilot-transcript",
        _event("session.start", "e1", producer="copilot-agent", vscodeVersion="1.110.0", version=1),
        *_COPILOT,
    ),
)
