"""One row per tool: where its chats are, what reads them, and what it adds to them. Data only, imported at start-up.

A new tool is a row here, a reader in `read/`, and a folder in `tests/corpus/`; nothing else names a tool.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Literal

from msgspec import Struct

EDITOR = "editor"  # folders in which VS Code and its relatives keep user data


class Export(Struct, frozen=True):
    """How a chat is exported for another tool: by a function of `resume/`."""

    writer: str
    ending: str
    named_by_session: bool = False  # the file is named after the id of its session


class Format(Struct, frozen=True):
    """A format, and the module of `read/` that has its `sniff` and `read`, loaded on first use.

    It may also have `follow`, which reads a growing file, `earlier`, which finds what compactions replaced, and
    `typed_texts`, which finds a person's words among what the tool wrote around them. A module of several formats puts
    a `suffix` behind the names of functions that are not for all of them.
    """

    name: str
    reader: str
    suffix: str = ""
    by_line: int = 0  # rank among those that a single line of the file reveals; the slowest reader is tried last
    title_marks: tuple[bytes, ...] | None = None  # in lines near the end that name the chat; None: any tool's
    api: Literal["", "anthropic", "openai-chat", "openai-responses"] = ""  # whose messages the raw ones are
    export: Export | None = None  # compacted chats can be written in it
    writer: str = ""  # the tool that writes it, if not the row's


class Folder(Struct, frozen=True):
    """Where a format's chats are: below the first of `roots` whose variable is set, at a path; `*` is any folder."""

    format: str
    roots: tuple[str, ...]
    below: str
    endings: tuple[str, ...]


class Hidden(Struct, frozen=True):
    """Tokens that a tool adds to a chat, their bounds in real sessions, and what it adds per token of the chat."""

    tokens: int = 0
    low: int = 0
    high: int = 0
    share: float = 0.0
    note: int = 0  # for a reminder that it adds to some calls and does not record


class AutoCompact(Struct, frozen=True):
    """Where a tool auto-compacts: at a share of the window, or where too little room is left; the lower of both."""

    percent: int = 100  # of the window
    reply: int = 0  # tokens of the longest reply that it keeps free, at most
    room: int = 0  # tokens that it keeps free besides
    since: tuple[int, ...] = ()  # the first version that this holds for
    format: str = ""  # the only format that this holds for
    not_for: tuple[str, ...] = ()  # models with which it only compacts once the provider has refused a prompt


class Note(Struct, frozen=True):
    """How a tool words a person's note on a call that they refused or allowed, and in which results it does."""

    frame: Literal["refused", "rejected", "plan", "commented", "status", "running"]
    calls: tuple[str, ...] = ()  # whose results do not begin with text from elsewhere; if none, every failed one


class Recorded(Struct, frozen=True):
    """What the end of a tool's file says of how full the chat is, for a look without reading it."""

    behind: str  # what the newest such record begins with
    used: tuple[str, ...]  # keys in it whose numbers add up to the tokens in use
    window: str = ""  # the key of the context window in it
    usual: int = 0  # the limit where no key has the window


Moves = Literal["off", "on", "window", "tokens", "percent", "share"]


class Knob(Struct, frozen=True):
    """A setting of a tool that moves its limit: an environment variable with `$`, or the path of a key in its files.

    What it holds: whether the tool auto-compacts (`on`, `off`); the window that it reckons with, the limit itself, a
    percentage of what a reply leaves of the window, or a fraction of the window.
    """

    moves: Moves
    name: str


class Tool(Struct, frozen=True):
    """A tool that writes chats."""

    name: str
    label: str  # as people write it
    formats: tuple[Format, ...]
    folders: tuple[Folder, ...] = ()
    speakers: tuple[str, ...] = ()  # names of the assistant in headings of a copied chat
    files: tuple[str, ...] = ()  # file names of a chat with several files, the most complete first
    more_files: tuple[str, ...] = ()  # read together with it if present
    endings: tuple[str, ...] = ()  # or for files that share the rest of the name: the chat's first
    fixed_place: bool = False  # files in its folders are its own even if they could be messages of any tool
    folder_first: bool = False  # a chat names its folder before its first words
    notes: tuple[Note, ...] = ()
    asks: tuple[str, ...] = ()  # calls whose results are a person's answers
    hears: tuple[str, ...] = ()  # calls whose results hold a person's reply in a tag, if they hold one
    marks_agents: bool = False  # the first record says that a sub-agent's model holds the chat
    writes_empty: bool = False  # files without messages are no chats: each new window creates one
    hidden: Hidden = Hidden()
    hidden_with_system: Hidden = Hidden()  # if the file contains the system prompt, but no tools
    hidden_in_agent: Hidden | None = None  # in a sub-agent
    hidden_resumed: Hidden | None = None  # after a compaction, if nothing shows how the session began
    attached: Hidden = Hidden()  # after a compaction, beyond what the session began with: reattached files
    attached_mark: str = ""  # begins a message with what was reattached, in versions that write it down
    auto_compacts: tuple[AutoCompact, ...] = ()  # the newest first
    recorded: Recorded | None = None
    tells_limit: bool = False  # its files say at how many tokens it auto-compacted
    knobs: tuple[Knob, ...] = ()  # the stronger first
    settings: tuple[tuple[str, ...], ...] = ()  # files, the stronger first: the first root that is set counts
    least_window: int = 0  # a lower window in its settings is raised to this
    small_window: int = 0  # of models in `two_windows`, unless the long one was chosen, which no file of it says
    two_windows: tuple[str, ...] = ()
    family: Literal["", "claude", "gpt", "gemini"] = ""  # of its usual model
    records_all: bool = False  # its files contain nearly everything that its usual family gets
    resumes: tuple[str, ...] = ()  # the command that continues the session `{id}` in its folder
    copilot: Literal["", "always", "unless-named"] = ""  # whether Copilot serves its models, or those without a vendor


_JSON = (".json", ".jsonl")
CLINE_FILES = ("api_conversation_history.json", "ui_messages.json", "claude_messages.json")
CLINE_MORE_FILES = ("context_history.json", "task_metadata.json")
_CLINE_HEARS = ("attempt_completion", "plan_mode_respond")
_CLINE_JUDGED = (
    *("execute_command", "write_to_file", "replace_in_file", "apply_diff", "apply_patch", "insert_content"),
    *("search_and_replace", "search_replace", "edit_file", "new_task", "switch_mode", "new_rule", "condense"),
    *("browser_action", "ask_followup_question", *_CLINE_HEARS),
)
_QWEN = ("$QWEN_RUNTIME_DIR", "$QWEN_HOME", "~/.qwen")
_UNMEASURED_AGENT = Hidden(12_000, low=1_000, high=40_000)

# In sniffing order: if nothing else decides, the first matching format is taken.
TOOLS = (
    Tool(
        "vscode",
        "VS Code",
        formats=(
            Format("vscode-log", "vscode", "_log", by_line=7, title_marks=(b'"customTitle"',)),
            Format("vscode", "vscode", ""),
            Format(
                "vscode-export",
                "vscode",
                "_export",
                export=Export("as_vscode_export", ".json"),
            ),
        ),
        folders=(
            Folder("vscode-log", (EDITOR,), "workspaceStorage/*/chatSessions", _JSON),
            Folder("vscode-log", (EDITOR,), "globalStorage/emptyWindowChatSessions", _JSON),
            Folder("vscode", (EDITOR,), "globalStorage/transferredChatSessions", _JSON),
        ),
        writes_empty=True,
        asks=("vscode_askQuestions", "askQuestions", "ask_questions"),
        speakers=("copilot", "github copilot"),
        hidden=Hidden(17_000, low=3_000, high=25_000),  # little without tools
        auto_compacts=(AutoCompact(percent=85),),
        tells_limit=True,
        copilot="unless-named",
    ),
    Tool(
        "chatreplay",
        "Chat Replay",
        (Format("chatreplay", "simple", "_chatreplay"),),
        asks=("vscode_askQuestions", "askQuestions", "ask_questions"),
    ),
    Tool(
        "claude-code",
        "Claude Code",
        formats=(
            Format(
                "claude-code",
                "claude_code",
                by_line=1,
                title_marks=(b'"custom-title"', b'"ai-title"'),
                api="anthropic",
                export=Export("as_claude_session", ".jsonl", named_by_session=True),
            ),
        ),
        folders=(
            Folder("claude-code", ("$CLAUDE_CONFIG_DIR", "~/.claude"), "projects/*", (".jsonl",)),
            Folder(
                "claude-code",
                ("$CLAUDE_CONFIG_DIR", "$XDG_CONFIG_HOME/claude", "~/.config/claude"),
                "projects/*",
                (".jsonl",),
            ),
        ),
        speakers=("claude", "claude code"),
        folder_first=True,
        notes=(Note("refused"),),
        asks=("AskUserQuestion",),
        hidden=Hidden(37_000, low=15_000, high=44_000, share=0.03, note=100),
        hidden_resumed=Hidden(46_000, low=27_000, high=69_000, share=0.03, note=100),
        attached=Hidden(5_000, high=25_000),
        attached_mark="<system-reminder>",
        hidden_in_agent=Hidden(4_400, low=3_000, high=20_000, share=0.03, note=100),
        auto_compacts=(
            AutoCompact(
                reply=20_000,
                room=13_000,
                since=(2, 1, 327),  # the version that was measured; which one began to wait is not known
                not_for=("claude-haiku-4-5", "claude-sonnet-4-5"),
            ),
            AutoCompact(reply=20_000, room=13_000, since=(2, 1, 21)),
            AutoCompact(reply=32_000, room=13_000),
        ),
        tells_limit=True,
        knobs=(
            Knob("off", "$DISABLE_COMPACT"),
            Knob("off", "$DISABLE_AUTO_COMPACT"),
            Knob("on", "autoCompactEnabled"),
            Knob("window", "$CLAUDE_CODE_AUTO_COMPACT_WINDOW"),
            Knob("window", "autoCompactWindow"),
            Knob("percent", "$CLAUDE_AUTOCOMPACT_PCT_OVERRIDE"),
        ),
        settings=(
            (".claude/settings.local.json",),
            (".claude/settings.json",),
            ("$CLAUDE_CONFIG_DIR/settings.json", "~/.claude/settings.json"),
            ("$CLAUDE_CONFIG_DIR/.claude.json", "~/.claude.json"),
        ),
        recorded=Recorded(
            '"usage":',
            ("input_tokens", "cache_creation_input_tokens", "cache_read_input_tokens", "output_tokens"),
            usual=167_000,
        ),
        least_window=100_000,
        small_window=200_000,
        two_windows=("claude-sonnet-4", "claude-opus-4-6", "claude-opus-4-7", "claude-opus-4-8"),
        resumes=("claude", "--resume", "{id}"),
        family="claude",
    ),
    Tool(
        "codex",
        "Codex",
        formats=(
            Format(
                "codex",
                "codex",
                by_line=2,
                title_marks=(b'"thread_name"',),
            ),
        ),
        folders=(
            Folder("codex", ("$CODEX_HOME", "~/.codex"), "sessions/*/*/*", (".jsonl", ".jsonl.zst")),
            Folder("codex", ("$CODEX_HOME", "~/.codex"), "archived_sessions", (".jsonl", ".jsonl.zst")),
            Folder("codex", ("$CODEX_HOME", "~/.codex"), "sessions", _JSON),
        ),
        speakers=("codex",),
        asks=("request_user_input",),
        folder_first=True,
        marks_agents=True,
        hidden=Hidden(10_000, low=6_000, high=13_000),
        hidden_with_system=Hidden(5_700, low=4_000, high=8_000),
        attached=Hidden(200, low=-1_500, high=2_000),  # of an encrypted summary, more or less than it is taken for
        auto_compacts=(AutoCompact(percent=90),),
        knobs=(Knob("tokens", "model_auto_compact_token_limit"), Knob("window", "model_context_window")),
        settings=(("$CODEX_HOME/config.toml", "~/.codex/config.toml"),),
        recorded=Recorded('"last_token_usage":', ("total_tokens",), window="model_context_window"),
        family="gpt",
        records_all=True,
    ),
    Tool(
        "copilot-cli",
        "Copilot CLI",
        (
            Format("copilot-transcript", "copilot", "_transcript", by_line=3, writer="vscode"),
            Format(
                "copilot-cli",
                "copilot",
                by_line=4,
                title_marks=(b"session.title_changed",),
            ),
        ),
        folders=(
            Folder("copilot-transcript", (EDITOR,), "workspaceStorage/*/GitHub.copilot-chat/transcripts", (".jsonl",)),
            Folder("copilot-cli", ("$COPILOT_HOME", "~/.copilot"), "session-state/*", ("events.jsonl",)),
            Folder("copilot-cli", ("$COPILOT_HOME", "~/.copilot"), "session-state", (".jsonl",)),
        ),
        notes=(Note("rejected"), Note("plan", ("exit_plan_mode",))),
        asks=("ask_user",),
        hidden=Hidden(4_450, low=3_000, high=12_000),  # only the tools: the system prompt is in the file
        auto_compacts=(AutoCompact(percent=80),),
        tells_limit=True,
        copilot="always",
    ),
    Tool(
        "roo",
        "Roo Code",
        (Format("roo", "cline", "_roo", title_marks=()),),
        folders=(
            Folder("roo", (EDITOR,), "globalStorage/rooveterinaryinc.roo-cline/tasks/*", CLINE_FILES),
            Folder("roo", (EDITOR,), "globalStorage/kilocode.kilo-code/tasks/*", CLINE_FILES),
        ),
        files=CLINE_FILES,
        more_files=CLINE_MORE_FILES,
        fixed_place=True,
        notes=(
            Note("commented", (*_CLINE_JUDGED, "read_file")),  # which numbers the lines
            Note("status", (*_CLINE_JUDGED, "read_file")),
            Note("running", ("execute_command",)),
        ),
        asks=("ask_followup_question",),
        hears=_CLINE_HEARS,
        hidden=_UNMEASURED_AGENT,
        auto_compacts=(AutoCompact(percent=90),),
    ),
    Tool(
        "cline",
        "Cline",
        (
            Format("cline-sdk", "cline_sdk", title_marks=()),
            Format("cline", "cline", title_marks=()),
        ),
        folders=(
            Folder(
                "cline-sdk",
                (
                    "$CLINE_SESSION_DATA_DIR",
                    "$CLINE_DATA_DIR/sessions",
                    "$CLINE_DIR/data/sessions",
                    "~/.cline/data/sessions",
                ),
                "*",
                (".messages.json",),
            ),
            Folder("cline", (EDITOR,), "globalStorage/saoudrizwan.claude-dev/tasks/*", CLINE_FILES),
            Folder("cline", ("$CLINE_DATA_DIR", "$CLINE_DIR/data", "~/.cline/data"), "tasks/*", CLINE_FILES),
        ),
        speakers=("cline",),
        files=CLINE_FILES,
        more_files=CLINE_MORE_FILES,
        endings=(".messages.json", ".compaction.json", ".json"),
        fixed_place=True,
        notes=(Note("commented", _CLINE_JUDGED), Note("running", ("execute_command",))),
        asks=("ask_followup_question", "ask_question"),
        hears=_CLINE_HEARS,
        marks_agents=True,
        hidden=_UNMEASURED_AGENT,
        hidden_with_system=_UNMEASURED_AGENT,  # of the SDK; one session shows 24,700 for its tools
        auto_compacts=(AutoCompact(percent=90, format="cline-sdk"), AutoCompact(percent=80)),
    ),
    Tool(
        "gemini",
        "Gemini CLI",
        (Format("gemini", "gemini", by_line=5, title_marks=(b'{"$set":',)),),
        folders=(Folder("gemini", ("$GEMINI_CLI_HOME/.gemini", "~/.gemini"), "tmp/*/chats", _JSON),),
        speakers=("gemini",),
        notes=(Note("plan", ("exit_plan_mode",)),),
        asks=("ask_user",),
        marks_agents=True,
        hidden=Hidden(12_000, low=8_000, high=20_000),
        auto_compacts=(AutoCompact(percent=50),),
        knobs=(
            Knob("share", "model.compressionThreshold"),
            Knob("share", "model.chatCompression.contextPercentageThreshold"),
            Knob("share", "chatCompression.contextPercentageThreshold"),
        ),
        settings=((".gemini/settings.json",), ("$GEMINI_CLI_HOME/.gemini/settings.json", "~/.gemini/settings.json")),
        family="gemini",
    ),
    Tool(
        "qwen-code",
        "Qwen Code",
        (Format("qwen-code", "gemini", "_qwen", by_line=6, title_marks=(b'"custom_title"',)),),
        folders=(
            Folder("qwen-code", _QWEN, "projects/*/chats", (".jsonl",)),
            Folder("qwen-code", _QWEN, "projects/*/chats/archive", (".jsonl",)),
        ),
        speakers=("qwen", "qwen code"),
        asks=("ask_user_question",),
        folder_first=True,
        hidden=Hidden(17_000, low=10_000, high=25_000),  # not measured; its own source estimates 15,000 to 20,000
        auto_compacts=(AutoCompact(percent=85, reply=20_000, room=13_000),),
        tells_limit=True,
    ),
    Tool(
        "continue",
        "Continue",
        (Format("continue", "simple", "_continue", title_marks=()),),
        folders=(Folder("continue", ("$CONTINUE_GLOBAL_DIR", "~/.continue"), "sessions", (".json",)),),
        hidden=_UNMEASURED_AGENT,
    ),
    Tool("swe-agent", "SWE-agent", (Format("swe-agent", "simple", "_swe_agent"),)),
    Tool("sharegpt", "ShareGPT", (Format("sharegpt", "simple", "_sharegpt"),)),
)
# Formats that a tool's own file may also match, so that a hint decides among them.
TEXTS = (Format("markdown", "simple", "_markdown"), Format("text", "simple", "_text"))
OF_NO_TOOL = (
    Format("anthropic", "apis", "_anthropic", api="anthropic"),
    Format("openai-chat", "apis", "_openai_chat", api="openai-chat"),
    Format("openai-responses", "apis", "_openai_responses", api="openai-responses"),
    *TEXTS,
)

FORMATS: dict[str, Format] = {one.name: one for tool in TOOLS for one in tool.formats} | {
    one.name: one for one in OF_NO_TOOL
}
_TOOLS = {tool.name: tool for tool in TOOLS}
_WRITERS = {one.name: one.writer or tool.name for tool in TOOLS for one in tool.formats}
# Of a chat that names no tool, which may be any's.
_NO_TOOL = Tool(
    "",
    "",
    (),
    notes=(
        *(Note(frame) for frame in ("refused", "rejected")),
        Note("plan", ("exit_plan_mode",)),
        *(Note(frame, _CLINE_JUDGED) for frame in ("commented", "status")),
        Note("running", ("execute_command",)),
    ),
    asks=(*dict.fromkeys(name for tool in TOOLS for name in tool.asks), "question"),
    hears=_CLINE_HEARS,
)


def tool_of(format_name: str) -> str:
    """Return the tool that writes a format; a format without a tool returns itself."""
    return _WRITERS.get(format_name, format_name)


def api_of(format_name: str) -> str:
    """Return the API whose messages a format's raw ones are, if any."""
    return FORMATS[format_name].api if format_name in FORMATS else ""


def tool_named(name: str) -> Tool:
    """Return a tool's row; an empty one for an unknown name."""
    return _TOOLS.get(name, _NO_TOOL)


def files_with(name: str) -> Iterator[str]:
    """Yield the files to read together with a file of this name, if present."""
    for tool in TOOLS:
        if name in tool.files:
            yield from (file for file in (*tool.files, *tool.more_files) if file != name)
            return
        if tool.endings and name.endswith(tool.endings[0]):
            yield from (name.removesuffix(tool.endings[0]) + ending for ending in tool.endings[1:])
            return
