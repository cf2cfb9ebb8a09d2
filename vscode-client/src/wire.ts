/** The types of the wire, written by scripts/write_protocol.py from the server's table of operations. */

export interface SessionsParams {
  workspace?: string | null;
  workspaces?: string[];
  tools?: string[];
  limit?: number; // 50
  roots?: string[];
  filesIn?: string[];
}

export interface Sessions {
  sessions: Session[];
  complete: boolean;
}

export interface Session {
  uri: string;
  tool: string;
  format: string;
  title: string | null;
  updatedAt: string;
  bytes: number;
}

export interface CountTokensParams {
  chat: ChatRef;
  options?: Options;
  model?: string | null;
  window?: number | null;
  perMessage?: boolean; // false
  biggest?: number | null;
}

export interface ChatRef {
  uri?: string | null;
  text?: string | null;
  messages?: unknown[] | null;
  system?: string | { [key: string]: unknown }[] | null;
  tools?: { [key: string]: unknown }[] | null;
  format?:
    | "anthropic"
    | "chatreplay"
    | "claude-code"
    | "cline"
    | "cline-sdk"
    | "codex"
    | "continue"
    | "copilot-cli"
    | "copilot-transcript"
    | "gemini"
    | "markdown"
    | "openai-chat"
    | "openai-responses"
    | "qwen-code"
    | "roo"
    | "sharegpt"
    | "swe-agent"
    | "text"
    | "vscode"
    | "vscode-export"
    | "vscode-log"
    | null;
  tool?: string | null;
}

export interface Options {
  strategy?: "auto" | "keep" | "prune" | "summary"; // "summary"
  scope?: Scope;
  style?: "brief" | "checkpoint" | "detailed" | "handoff" | "structured"; // "detailed"
  immediateTask?: boolean | null;
  model?: string | null;
  window?: number | null;
  budget?: number | null;
  pruneAt?: number; // 0.7
  compactAt?: number; // 1.0
  minKeep?: number; // 4
  keepRecentTokens?: number; // 0
  keepRecent?: number; // 10
  keepKeywords?: string[];
  keepToolResults?: boolean; // true
  keepSystem?: boolean; // true
  keepFirstUser?: boolean; // true
  pin?: string[];
  drop?: string[];
  prune?: PruneOptions;
  instructions?: string;
  summaryModel?: string; // "claude-haiku-5-5"
  fallbackModels?: string[];
  maxOutputTokens?: number; // 8192
  summaryBudget?: number | null;
  length?: "brief" | "full" | "standard"; // "standard"
  addBack?: string[];
  record?: "live" | "whole"; // "whole"
  redact?: boolean; // true
  continuation?: ContinuationOptions;
}

export interface Scope {
  kind?: "all" | "from" | "upTo"; // "all"
  message?: string | null;
}

export interface PruneOptions {
  maxChars?: number; // 2000
  head?: number; // 500
  tail?: number; // 200
  preserveTail?: number; // 4
}

export interface ContinuationOptions {
  kind?: "emergency" | "manual" | "midLoop" | "postTool" | "regular" | null;
  style?: string | null;
  silent?: boolean; // false
  autoApprove?: boolean; // true
  suppressQuestions?: boolean; // false
  title?: string | null;
  transcriptPath?: string | null;
  recentPreserved?: boolean; // false
  activePlan?: boolean; // false
  capabilities?: HostCapabilities | null;
}

export interface HostCapabilities {
  searchOlder?: SearchOlder | null;
  plan?: PlanTool | null;
  standards?: FileName | null;
  notes?: FileName[];
}

export interface SearchOlder {
  name: string;
  hint?: string | null;
}

export interface PlanTool {
  name: string;
  start?: string | null;
}

export interface FileName {
  file: string;
}

export interface TokenReport {
  model: string | null;
  tool: string;
  format: string;
  title: string | null;
  messageCount: number;
  used: number;
  low: number;
  high: number;
  window: number;
  windowBasis: "chat" | "default" | "setting" | "table";
  percent: number;
  basis: "anchored" | "estimated" | "measured";
  parts: Parts;
  advice: "compact" | "none" | "prune";
  reason: string;
  warnings: Warning[];
  hostMeter: HostRing | null;
  limit: Limit | null;
  percentOfLimit: number | null;
  turnsLeft: TurnsLeft | null;
  windowsPossible: number[];
  compactions: OwnCompactions;
  messages?: MessageTokens[];
  breakdown?: Breakdown;
}

export interface Parts {
  fixed: number;
  summary: number;
  user: number;
  assistant: number;
  toolCalls: number;
  toolResults: number;
  thinking: number;
  images: number;
  attached?: number; // 0
}

export interface Warning {
  code: string;
  message: string;
  line?: number;
}

export interface HostRing {
  used: number;
  reserved: number;
  total: number;
  percent: number;
  usedPercent: number;
}

export interface Limit {
  tokens: number;
  basis: "recorded" | "rule" | "setting";
}

export interface TurnsLeft {
  low: number;
  high: number;
}

export interface OwnCompactions {
  total: number;
  automatic: number;
  lastBefore: number | null;
  lastAfter: number | null;
}

export interface MessageTokens {
  id: string;
  index: number;
  role: string;
  kind: "empty" | "mixed" | "summary" | "text" | "toolCall" | "toolResult";
  tokens: number;
}

export interface Breakdown {
  biggest: Thing[];
  messages: Thing[];
  tools: Thing[];
  files: Thing[];
}

export interface Thing {
  kind: "attached" | "file" | "fixed" | "message" | "rest" | "summary" | "tool";
  name: string;
  tokens: number;
  percent: number;
  messages: string[];
}

export interface TranscriptParams {
  chat?: ChatRef | null;
  compactionId?: string | null;
  original?: boolean; // false
  replaced?: boolean; // false
  ids?: string[];
}

export interface Transcript {
  title: string | null;
  tool: string;
  format: string;
  messages: MessageText[];
  warnings: Warning[];
}

export interface MessageText {
  id: string;
  index: number;
  role: string;
  kind: "empty" | "mixed" | "summary" | "text" | "toolCall" | "toolResult";
  text: string;
}

export interface PreviewParams {
  chat: ChatRef;
  options?: Options;
  provider?: "anthropic" | "auto" | "editor" | "offline" | null;
  lengths?: number[] | null;
}

export interface Preview {
  planId: string;
  action: "compact" | "keep" | "none" | "prune";
  advice: "compact" | "none" | "prune";
  reason: string;
  split: number;
  messages: MessageFate[];
  before: number;
  after: number;
  afterLow: number;
  afterHigh: number;
  nextChat: NextSizes | null;
  request: ModelRequest | null;
  instructions: Instructions[];
  files: Files;
  redactions: Redactions;
  lengths: LengthShown[] | null;
  warnings: Warning[];
}

export interface MessageFate {
  id: string;
  index: number;
  role: string;
  kind: "empty" | "mixed" | "summary" | "text" | "toolCall" | "toolResult";
  fate: "drop" | "keep" | "pin" | "prune" | "summarize";
  reason: string;
  tokens: number;
  tokensAfter: number;
  excerpt: string;
}

export interface NextSizes {
  continuation: NextSize | null;
  messages: NextSize;
}

export interface NextSize {
  tokens: number;
  fixed: number;
  messages: number;
  parts?: Parts | null;
}

export interface ModelRequest {
  provider: string;
  model: string | null;
  calls: number;
  inputTokens: number;
  maxOutputTokens: number;
}

export interface Instructions {
  uri: string;
  text: string;
}

export interface Files {
  read: string[];
  modified: string[];
}

export interface Redactions {
  total: number;
  kinds: { [key: string]: number };
  repeats?: number; // 0
}

export interface LengthShown {
  budget: number;
  tokens: number;
  kept: number;
  total: number;
  missing: string[];
  name?: "brief" | "full" | "standard" | null;
  message?: number; // 0
}

export interface SummarizeParams {
  chat?: ChatRef | null;
  options?: Options;
  planId?: string | null;
  reply?: string | null;
  provider?: "anthropic" | "auto" | "editor" | "offline" | null;
  userInitiated?: boolean; // false
  include?: ("facts" | "messages" | "prompt" | "raw")[];
  messagesAs?: "anthropic" | "openai-chat" | null;
}

export interface Compaction {
  compactionId: string;
  planId: string;
  tool: string;
  title: string | null;
  provider: string;
  model: string | null;
  style: string;
  summary: string;
  sections: { [key: string]: unknown } | null;
  continuation: string;
  before: number;
  after: number;
  counts: Counts;
  survival: Survival;
  healed: number;
  warnings: Warning[];
  attempts: Attempt[];
  usage: TokensSpent | null;
  archive: string | null;
  nextChat?: NextSizes | null;
  healedAtMost?: number; // 0
  messages?: { [key: string]: unknown }[];
  prompt?: { [key: string]: unknown };
  raw?: string;
}

export interface Counts {
  before: number;
  after: number;
  summarized: number;
  pruned: number;
  dropped: number;
  charsPruned: number;
  tokensSaved: number;
  skipped: number;
  fixed: number;
  overBudget: boolean;
}

export interface Survival {
  kept: number;
  classes: SurvivalClass[];
  of?: "continuation" | "messages"; // "continuation"
  scope?: Looked;
  facts?: FactShown[];
}

export interface SurvivalClass {
  name: string;
  total: number;
  kept: number;
  restored: number;
  lost: Lost[];
}

export interface Lost {
  id: string;
  text: string;
  message: string | null;
  cost?: number; // 0
}

export interface Looked {
  messages?: number; // 0
  userMessages?: number; // 0
  beforeLastCompaction?: number; // 0
}

export interface FactShown {
  id: string;
  class: string;
  text: string;
  message: string | null;
  at: [number, number] | null;
}

export interface Attempt {
  provider: string;
  model: string | null;
  outcome: "failed" | "ok" | "rejected" | "skipped";
  detail: string | null;
  seconds: number;
  kind?: string | null;
}

export interface TokensSpent {
  inputTokens: number;
  outputTokens: number;
}

export interface DraftParams {
  chat?: ChatRef | null;
  draftId?: string | null;
  version?: number | null;
  options?: Options;
  addBack?: string[] | null;
  text?: string | null;
  write?: Rewrite | null;
  reopen?: boolean; // false
}

export interface Rewrite {
  provider?: "anthropic" | "auto" | "editor" | "offline" | null;
}

export interface Draft {
  draftId: string;
  version: number;
  versions: DraftVersion[];
  undo: number | null;
  uri: string | null;
  options: Options;
  addBack: string[];
  report: TokenReport;
  preview: Preview;
  compaction: Compaction;
  edited: boolean;
  conflict: Conflict | null;
  turns: { [key: string]: number };
  strip: TurnShown[];
  changed?: ChangedDraft | null;
}

export interface DraftVersion {
  version: number;
  at: string;
  by: "edit" | "model" | "offline";
  model: string | null;
  tokens: number;
  kept: number;
  total: number;
}

export interface Conflict {
  text: string;
}

export interface TurnShown {
  number: number;
  continued: boolean;
  messages: string[];
  tokens: number;
  excerpt: string | null;
  shortened: boolean;
  rules: number;
  errors: number;
}

export interface ChangedDraft {
  draftId: string;
  version: number;
  at: string;
}

export interface PromptParams {
  chat: ChatRef;
  options?: Options;
}

export interface Prompt {
  system: string | null;
  messages: { [key: string]: unknown }[];
  planId: string;
  tokens: number;
}

export interface CheckParams {
  chat: ChatRef;
  summary?: string | null;
  include?: "facts"[];
  original?: boolean; // false
}

export interface Checked {
  survival: Survival;
  warnings: Warning[];
  continuation: string;
}

export interface ExportParams {
  compactionId: string;
  as: "claude-code" | "json" | "markdown" | "vscode-export";
  uri?: string | null;
  place?: "tool" | null;
  folder?: string | null;
}

export interface Exported {
  uri: string;
  bytes: number;
  tokens: number | null;
  messages: number | null;
  resume?: Resume;
}

export interface Resume {
  tool: string;
  id: string;
  folder: string | null;
  command: string[] | null;
  found?: boolean; // false
}

export interface RestoreParams {
  compactionId: string;
  include?: "compaction"[];
  place?: "tool" | null;
  folder?: string | null;
}

export interface Restored {
  messages: { [key: string]: unknown }[];
  uri: string | null;
  archive: string | null;
  sha256: string;
  compaction?: Compaction;
  resume?: Resume | null;
}

export interface HistoryParams {
  chat?: ChatFile | null;
  limit?: number; // 50
}

export interface ChatFile {
  uri: string;
}

export interface History {
  compactions: Past[];
}

export interface Past {
  compactionId: string;
  uri: string | null;
  title: string | null;
  at: string;
  provider: string;
  model: string | null;
  before: number;
  after: number;
  kept: number;
  itemsKept?: number | null;
  items?: number | null;
  message?: number | null;
}

export interface WatchParams {
  chat?: ChatRef | null;
  workspace?: string | null;
  workspaces?: string[];
  roots?: string[];
  model?: string | null;
  window?: number | null;
}

export interface Watched {
  watchId: string;
  uri: string;
  report: TokenReport;
}

export interface UnwatchParams {
  watchId: string;
}

export type Unwatched = Record<string, never>;

export interface Operations {
  sessions: { params: SessionsParams; result: Sessions };
  countTokens: { params: CountTokensParams; result: TokenReport };
  transcript: { params: TranscriptParams; result: Transcript };
  preview: { params: PreviewParams; result: Preview };
  summarize: { params: SummarizeParams; result: Compaction };
  draft: { params: DraftParams; result: Draft };
  prompt: { params: PromptParams; result: Prompt };
  check: { params: CheckParams; result: Checked };
  export: { params: ExportParams; result: Exported };
  restore: { params: RestoreParams; result: Restored };
  history: { params: HistoryParams; result: History };
  watch: { params: WatchParams; result: Watched };
  unwatch: { params: UnwatchParams; result: Unwatched };
}
