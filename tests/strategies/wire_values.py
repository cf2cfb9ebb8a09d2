"""Values of members whose type says less than their meaning."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from hypothesis import strategies as st

from tests.samples.chats import words
from tests.servers.wire_kept import EXPORTS, FILES, THERE, kept
from tests.strategies.wire_chats import anything_in_json, message_lists, refs_of_files

message_ids = st.sampled_from(["m0", "m1", "m2", "m5", "m", "", "u0", "nobody"])
texts = st.one_of(words, st.sampled_from(["gpt-5", "claude-haiku-5-5", "plan_update", "docs/rules.md"]))
EXAMPLES = Path(__file__).resolve().parents[2] / "examples"
folders = st.sampled_from([EXAMPLES.as_uri(), "file:///absent", "vscode-remote://box/demo", "file://away/share"])
summaries = st.sampled_from(
    [
        "Summary:\n1. Primary Request and Intent:\nCount the trays.\n\n7. Pending Tasks:\nShelf 9",
        "<analysis>counted</analysis><summary>\n8. Current Work:\nShelf 9\n9. Optional Next Step:\nNone\n</summary>",
        "<summary></summary>",
        "no",
    ]
)
section_names = st.sampled_from(["primaryRequestAndIntent", "currentWork", "pendingTasks", "immediateTask"])
compaction_ids = st.integers(0, 2).map(lambda number: kept()[number].id) | st.sampled_from(["", "none", "../x"])
new_files = st.sampled_from(["new.md", "new.json", "trays & shelves %.jsonl"]).map(lambda name: EXPORTS / name)
no_places = st.sampled_from([THERE, EXPORTS, EXPORTS / "absent" / "new.md", THERE / "new.md"])
targets = st.one_of(new_files, new_files, no_places).map(Path.as_uri) | st.sampled_from(["file:", "file://away/new"])
# Nothing else may be told to be an archive: whatever is, will be written to.
archives = st.sampled_from(["on", "off", " off ", "beside", str(FILES / "elsewhere"), f"{FILES}/a\0b", str(THERE)])
MEANT: dict[str, st.SearchStrategy[Any]] = {
    "messages": message_lists(),
    "pin": st.lists(message_ids, max_size=2),
    "drop": st.lists(message_ids, max_size=2),
    "ids": st.lists(message_ids, max_size=3),
    "message": message_ids,
    "style": st.sampled_from(["detailed", "detailed", "checkpoint", "brief", "unheard-of"]),
    "reply": summaries | words,
    "summary": summaries | words,
    "text": summaries | words,
    "planId": st.text("0123456789abcdef", min_size=32, max_size=32),
    "compactionId": compaction_ids,
    "uri": targets | refs_of_files().map(lambda ref: ref["uri"]),
    "archive": archives,
    "workspace": folders | words,
    "watchId": st.sampled_from(["watch-0", ""]),
    "roots": st.lists(folders, max_size=2) | st.lists(words, max_size=2),
    "sections": st.dictionaries(section_names, summaries | words, min_size=1, max_size=3)
    | st.dictionaries(section_names | st.just("x.y"), words | anything_in_json, max_size=3),
}
