/** Tools by name, where their chats lie, and classes of facts, written by scripts/write_protocol.py from the server. */

/** A folder of chats below the first of `roots` whose variable is set; in `below`, `*` is any folder. */
export interface Folder {
  readonly tool: string;
  readonly roots: readonly string[];
  readonly below: string;
  readonly endings: readonly string[];
}

/** Where the end of a tool's file says how full a chat is: behind a mark, keys to add up, and that of the window. */
export interface Recorded {
  readonly behind: string;
  readonly used: readonly string[];
  readonly window: string;
  /** The limit where no key has the window. */
  readonly usual: number;
}

export const LABELS: Readonly<Record<string, string>> = {
  vscode: "VS Code",
  chatreplay: "Chat Replay",
  "claude-code": "Claude Code",
  codex: "Codex",
  "copilot-cli": "Copilot CLI",
  roo: "Roo Code",
  cline: "Cline",
  gemini: "Gemini CLI",
  "qwen-code": "Qwen Code",
  continue: "Continue",
  "swe-agent": "SWE-agent",
  sharegpt: "ShareGPT",
};

export const FOLDERS: readonly Folder[] = [
  { tool: "claude-code", roots: ["$CLAUDE_CONFIG_DIR", "~/.claude"], below: "projects/*", endings: [".jsonl"] },
  {
    tool: "claude-code",
    roots: ["$CLAUDE_CONFIG_DIR", "$XDG_CONFIG_HOME/claude", "~/.config/claude"],
    below: "projects/*",
    endings: [".jsonl"],
  },
  { tool: "codex", roots: ["$CODEX_HOME", "~/.codex"], below: "sessions/*/*/*", endings: [".jsonl", ".jsonl.zst"] },
  { tool: "codex", roots: ["$CODEX_HOME", "~/.codex"], below: "archived_sessions", endings: [".jsonl", ".jsonl.zst"] },
  { tool: "codex", roots: ["$CODEX_HOME", "~/.codex"], below: "sessions", endings: [".json", ".jsonl"] },
  { tool: "copilot-cli", roots: ["$COPILOT_HOME", "~/.copilot"], below: "session-state/*", endings: ["events.jsonl"] },
  { tool: "copilot-cli", roots: ["$COPILOT_HOME", "~/.copilot"], below: "session-state", endings: [".jsonl"] },
  {
    tool: "roo",
    roots: ["editor"],
    below: "globalStorage/rooveterinaryinc.roo-cline/tasks/*",
    endings: ["api_conversation_history.json", "ui_messages.json", "claude_messages.json"],
  },
  {
    tool: "roo",
    roots: ["editor"],
    below: "globalStorage/kilocode.kilo-code/tasks/*",
    endings: ["api_conversation_history.json", "ui_messages.json", "claude_messages.json"],
  },
  {
    tool: "cline",
    roots: [
      "$CLINE_SESSION_DATA_DIR",
      "$CLINE_DATA_DIR/sessions",
      "$CLINE_DIR/data/sessions",
      "~/.cline/data/sessions",
    ],
    below: "*",
    endings: [".messages.json"],
  },
  {
    tool: "cline",
    roots: ["editor"],
    below: "globalStorage/saoudrizwan.claude-dev/tasks/*",
    endings: ["api_conversation_history.json", "ui_messages.json", "claude_messages.json"],
  },
  {
    tool: "cline",
    roots: ["$CLINE_DATA_DIR", "$CLINE_DIR/data", "~/.cline/data"],
    below: "tasks/*",
    endings: ["api_conversation_history.json", "ui_messages.json", "claude_messages.json"],
  },
  {
    tool: "gemini",
    roots: ["$GEMINI_CLI_HOME/.gemini", "~/.gemini"],
    below: "tmp/*/chats",
    endings: [".json", ".jsonl"],
  },
  {
    tool: "qwen-code",
    roots: ["$QWEN_RUNTIME_DIR", "$QWEN_HOME", "~/.qwen"],
    below: "projects/*/chats",
    endings: [".jsonl"],
  },
  {
    tool: "qwen-code",
    roots: ["$QWEN_RUNTIME_DIR", "$QWEN_HOME", "~/.qwen"],
    below: "projects/*/chats/archive",
    endings: [".jsonl"],
  },
  { tool: "continue", roots: ["$CONTINUE_GLOBAL_DIR", "~/.continue"], below: "sessions", endings: [".json"] },
];

export const RECORDED: Readonly<Record<string, Recorded>> = {
  "claude-code": {
    behind: '"usage":',
    used: ["input_tokens", "cache_creation_input_tokens", "cache_read_input_tokens", "output_tokens"],
    window: "",
    usual: 167000,
  },
  codex: { behind: '"last_token_usage":', used: ["total_tokens"], window: "model_context_window", usual: 0 },
};

/** The class of a fact: one of it, many of it. */
export const CLASSES: Readonly<Record<string, readonly [string, string]>> = {
  constraints: ["rule", "rules"],
  userMessages: ["message by you", "messages by you"],
  todos: ["open task", "open tasks"],
  decisions: ["decision", "decisions"],
  preferences: ["preference", "preferences"],
  state: ["state", "states"],
  currentWork: ["step in progress", "steps in progress"],
  modifiedFiles: ["changed file", "changed files"],
  values: ["value", "values"],
  results: ["result", "results"],
  errors: ["error", "errors"],
  commands: ["command", "commands"],
  readFiles: ["read file", "read files"],
  attachedFiles: ["attached file", "attached files"],
  omissions: ["kept message whole", "kept messages whole"],
};
