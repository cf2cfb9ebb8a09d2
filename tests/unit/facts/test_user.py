"""What the person typed: requests, rules, todos, instructions for summaries."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace

from compact_chat.chat import Message
from compact_chat.facts import Request, earlier_summaries, find_steps, instruction_sections, requests, rules, todos
from compact_chat.facts.user import LONGEST_SECTION
from compact_chat.read import resolved
from compact_chat.text import SUMMARY_END, SUMMARY_END_LAST
from tests.samples.chats import a, res, s, talk, u
from tests.samples.tools import used

SUMMARY = "[Previous conversation summary]\nold facts\n[End of summary — conversation continues below]"
REFUSED = (
    "The user doesn't want to proceed with this tool use. (…) To tell you how to proceed, the user said:\nuse tabs"
)


@pytest.mark.parametrize(
    ("message", "said"),
    [
        (u("fix it"), ["fix it"]),
        (u("a\r\nb"), ["a\nb"]),
        (u(res("1", "output")), []),
        (a("hello"), []),
        (s("rules"), []),
        (replace(u("Caveat: generated"), by_host=True), []),
        (replace(u("all of it is a summary"), is_summary=True), []),
        (u(SUMMARY), []),
        (u("now the tests", SUMMARY.replace(SUMMARY_END, SUMMARY_END_LAST)), ["now the tests"]),
        (u("<system-reminder>\nx\n</system-reminder>", "go on"), ["go on"]),
        (replace(u(SUMMARY, "now the tests"), is_summary=True), ["now the tests"]),
        (u(res("1", REFUSED, is_error=True)), ["use tabs"]),
        (
            replace(u("<command-name>/x</command-name><command-args>keep it small</command-args>"), by_host=True),
            ["keep it small"],
        ),
    ],
)
def test_only_the_persons_own_words_count(message: Message, said: list[str]) -> None:
    """P6: no results, no host text, no earlier summary; but words in a refusal and after a command count."""
    assert [request.text for request in requests(list(resolved([message], "unknown")))] == said


def test_an_earlier_summary_is_an_item_of_its_own() -> None:
    """Its text is returned unwrapped, whether or not it shares its message with the user's words."""
    joined = replace(u(SUMMARY, "now the tests"), is_summary=True)
    alone = replace(u("This session is continued. Summary:\n1. x", "typed behind it"), is_summary=True)

    assert [summary.text for summary in earlier_summaries([joined, alone])] == [
        "old facts",
        "This session is continued. Summary:\n1. x",
    ]


def test_a_complete_summary_is_known_without_a_mark() -> None:
    """P23, Z4: our own summary within a chat is an earlier summary, but not one that a tool or model quotes."""
    chat = [u("q"), a(SUMMARY), u(res("1", SUMMARY)), u(SUMMARY)]

    assert [(one.text, one.message) for one in earlier_summaries(talk(*chat))] == [("old facts", "m3")]


RULES = [
    "Never push to main.",
    "Always run the linter before a commit",
    "Do not add new dependencies",
    "and don’t rename the public functions",
    "All public functions must have docstrings",
    "The API must not change",
    "Only edit files under src/",
    "Keep each commit with working code please",
    "Avoid global state",
    "We don't want a new table for this",
    "Make sure the tests stay green",
    "let's not leave all the tests to the very end...",
    "From now on answer in French",
    "Generated files are off-limits",
    "Fix the bug, but never change the schema",
    "use tabs instead of spaces",
    "Before you run a command, wait for my go-ahead.",
    "Reply in bullet points only.",
    "Write every number as a word.",
    "Ask me before you delete anything.",
    "Don't push without asking.",
    "No emojis please.",
    "Commit after each step.",
    "If you are unsure, ask instead of guessing.",
    "Leave package.json untouched.",
    "Every function needs a docstring.",
    "Antworte auf Deutsch.",
    "Be concise.",
    "Follow the existing naming conventions.",
    "Tell me whenever a test is flaky.",
    "Explain it like I'm five.",
    "Include the ticket number in every commit message.",
    "Answer in under 50 words.",
    "Fix it without changing the public API.",
    "Only answer with yes or no.",
    "Assume I know nothing about Rust.",
    "Responde en español.",
    "Bitte keine neuen Abhängigkeiten",
    "stop using emojis in the commits",
    "hold off on edits until I have read the plan",
    "just code, no prose",
    "no unrelated refactors and no formatting sweeps",
    "tabs, not spaces",
    "dates in ISO format",
    "JSON only",
    "camelCase for variables, please",
    "readability over performance",
    "Explain your reasoning only when asked",
    "If blocked or unclear, ask one question.",
    "ping me before you touch the database",
    "give me options before you decide on something big",
    "one PR per ticket",
    "we can't use any GPL code here",
    "going forward use the new logger",
    "quick request: never force-push",
    "can you please stop adding comments everywhere?",
    "leave the tests to me",
    "Summarize before refactoring.",
    "wait with the push until the release is out",
    "no TypeScript, plain JS only",
    "new code goes through the linter",
    "no breaking changes in minor releases",
    "do one file, then wait",
    "tests should run in under a minute",
    "Only create a commit after I have confirmed it",
    "Wait for approval before proceeding.",
    "No changes to the payload",
    "everything has to be typed",
    "hands off the billing module",
    "不要修改数据库",
    "Никогда не пушь в main",
    "Il ne faut pas changer l'API",
    "Tests have to pass on Python 3.9 too.",
    "Ask me before you delete any file.",
    "I need you to keep the diff small.",
    "It's important that no customer data ends up in the logs.",
    "Answers should be short.",
    "The API can't change in this release.",
    "No features beyond what was asked.",
    "A feature isn't finished until it's documented.",
    "For this repo, rebase instead of merging.",
    "When installing new dependencies, pin exact versions.",
    "If you have questions, ask them directly.",
    "Whenever the schema changes, update the client.",
    "Do it without adding a database.",
    "Make a backup, but keep the old endpoint working.",
    "Schema changes need my approval.",
    "Be matter-of-fact and clear.",
    "Switch to pnpm.",
    "Ask me if a column name is ambiguous.",
    "Explain your choices in the commit message.",
    "It's fine to break the internal API but not the public one.",
    "Stop and tell me when a test fails twice.",
]
PREFERENCES = [
    "I'd prefer tabs",
    "I prefer functional style.",
    "I don't like comments that repeat the code.",
    "My preference is pytest over unittest.",
    "We usually write tests first.",
    "If possible, avoid regex.",
    "Prefiero respuestas cortas.",
    "I value clarity over cleverness.",
    "I appreciate it when you give evidence.",
    "I tend to favor explicit over implicit",
    "my team uses spaces, two of them",
    "we don't use lodash in this codebase",
    "I'm on Windows, so give me PowerShell commands",
    "I'm a junior dev",
    "I'm not fond of decorators",
    "I would like to keep the old format",
    "we only support the last two versions",
    "I care more about readability than speed",
    "you don't need to ask before you run the tests",
    "I'd like the tests to live next to the code",
    "We use tabs here.",
    "I don't need explanations, just the code",
]
NO_RULES = [
    "never mind, we'll look at it later.",
    "don't touch it yet",
    "Use it wisely!",
    "I like Option 1",
    "I'd like to add a hook",
    "No worries",
    "every test fails",
    "run the tests before I go",
    "if that works, commit",
    "delete all branches",
    "be careful",
    "explain the error in detail",
    "tell me when it is done",
    "add a test to each file that failed",
    "I appreciate it",
    "use the second one",
    "use a subagent to run 'sleep 10'.",
    "There is no error",
    "it never worked on my machine",
    "I don't know why",
    "must have been the cache",
    "keep going",
    "keep me posted",
    "keep the old function for now",
    "never heard of it",
    "that should never happen",
    "you always forget the semicolon",
    "he said to always use tabs",
    "I prefer the second one",
    "I'd rather go with option B",
    "I hate this bug",
    "let me know when it's done",
    "when done, tell me",
    "use curl to fetch it",
    "use a dict here",
    "only the first one works",
    "no files were changed",
    "No description provided",
    "no luck",
    "error: the variable must be defined",
    "you must be kidding",
    "stop the server",
    "fix the crash when deleting a file",
    "it broke before merging",
    "the dates are wrong",
    "can we always use tabs",
    "can we always use tabs?",
    "why must it be so slow?",
    "I can't see any usage of that",
    "yes",
    "the tests need to be fixed",
    "the user has to log in first",
    "one of the tests has to be flaky",
    "the docs need to be updated",
    "use it to parse the header",
    "keep reading the log",
    "go with the first approach",
    "you never told me about that flag",
    "no new messages in the queue",
    "only happens in firefox",
    "if (!user) return; // must be logged in",
    "const never = () => { throw new Error('must not happen'); }",
    "I can read the database from here.",
    "whenever I open the page, the spinner keeps spinning",
]


def found(*texts: str) -> list[str]:
    """The rules in some messages."""
    return [rule.text for rule in rules([Request(text, f"m{n}") for n, text in enumerate(texts)])]


@pytest.mark.parametrize("sentence", RULES)
def test_a_rule_is_known_by_its_words(sentence: str) -> None:
    """Rules are standing orders and bans: never, always, must, only, keep, avoid, prefer."""
    assert found(sentence) == [sentence]


@pytest.mark.parametrize("sentence", PREFERENCES)
def test_a_preference_is_a_kind_of_its_own(sentence: str) -> None:
    """Contract, 5: what the user likes is told apart from what the user demands."""
    assert [rule.kind for rule in rules([Request(sentence, "m")])] == ["preferences"]


@pytest.mark.parametrize("sentence", NO_RULES)
def test_stories_questions_and_single_wishes_are_no_rules(sentence: str) -> None:
    """Words like fix, note or error make no rule; neither do questions or observations."""
    assert found(sentence) == []


@pytest.mark.parametrize(
    ("text", "texts"),
    [
        ("Add it. Never change the theme, it is the client's! Thanks", ["Never change the theme, it is the client's!"]),
        ("- Keep it small\n- Add a page", ["Keep it small"]),
        ("```\nnever do this in code\n```", []),
        ("> always quoted by somebody", []),
        ("    never indented code here", []),
        ("Never " + "x" * 394, ["Never " + "x" * 394]),
        ("Never " + "x" * 395, []),
        ("禁止", []),
        ("\n".join(f"Never do {n}" for n in range(30)), [f"Never do {n}" for n in range(20)]),
        (
            "**Two rules for this work:**\n- Use British spelling.\n\n- Prices are in cents.\nIt has 8.\n- one\n",
            ["Use British spelling.", "Prices are in cents."],
        ),
    ],
)
def test_rules_are_whole_sentences_of_the_person(text: str, texts: list[str]) -> None:
    """A rule is without its bullet, not in code or a quote, and not too long; announced lists are rules."""
    assert found(text) == texts
    assert {rule.kind for rule in rules([Request(text, "m")])} <= {"constraints"}


def test_a_plan_tells_what_to_build_and_not_how_to_work() -> None:
    """H9: of a pasted plan, only strict norms and lists of rules are rules of the user."""
    plan = f"## Goal\n{'The oven is old. ' * 99}\n## Code\n- Use trays of tin.\n## Rules\n- Never bake twice.\n"

    assert [rule.text for rule in rules((Request(plan, "u1"),))] == ["Never bake twice."]
    assert [rule.text for rule in rules((Request("Use trays of tin.", "u1"),))] == ["Use trays of tin."]


def test_comments_in_code_make_no_plan_of_a_message() -> None:
    """H9: headings count outside fences."""
    script = "\n".join(f"# Step {n}\nbake --tray {n} --heat 230 --loaves 12 --rye" for n in range(50))

    assert found(f"Use trays of tin.\n```sh\n{script}\n```") == ["Use trays of tin."]


def test_items_below_a_heading_of_rules_are_rules() -> None:
    """H9: without a colon too, but not what only says that there are none."""
    plan = f"## Goal\n{'The oven is old. ' * 99}\n## House rules\n- Warm hands.\n\n- None\n## Code\n- Trays of tin.\n"

    assert found(plan) == ["Warm hands."]
    assert found("# Conventions\n- Warm hands.") == ["Warm hands."]


def test_a_rule_said_twice_is_one() -> None:
    """It counts at its last occurrence."""
    set_rules = rules([Request("Never push to main", "m1"), Request("never push to main", "m3")])

    assert [(rule.text, rule.message) for rule in set_rules] == [("never push to main", "m3")]


def test_a_changed_value_supersedes_the_rule_before() -> None:
    """Field: a value that was corrected later is marked as superseded."""
    set_rules = rules(
        [Request("Always use port 5433 for the database", "m1"), Request("Always use port 5434 for the database", "m5")]
    )

    assert [(rule.message, rule.superseded) for rule in set_rules] == [("m1", True), ("m5", False)]


@pytest.mark.parametrize(
    ("before", "after", "superseded"),
    [
        ("Answer in French", "From now on answer in English", True),
        ("Always answer in French", "Always answer in English", True),
        ("use tabs", "use spaces instead", True),
        ("use tabs", "use pnpm", False),
        ("Never push to main", "you may push to main now", True),
        ("Use tabs for indentation.", "Actually, use spaces.", True),
        ("Use tabs", "Use 4 spaces for indentation from now on", True),
        ("Use npm for packages.", "Let's use yarn instead.", True),
        ("Prefer tabs over spaces.", "I changed my mind: use spaces.", True),
        ("Answer in German.", "In English please", True),
        ("Write comments in English.", "Answer in German.", False),
        ("Use tabs.", "Use spaces in YAML files.", False),
        ("Run pytest before each commit.", "Use pytest.", False),
        ("Always run the linter before you commit.", "you may commit now", False),
        ("Never touch module1.py.", "Never touch module2.py.", False),
        ("Never edit schema_v1.sql.", "Never edit schema_v2.sql.", False),
        ("Always run test_a1.py first.", "Always run test_b2.py first.", False),
        ("Don't touch src/v1/api.ts.", "Don't touch src/v2/api.ts.", False),
        ("Never delete 2024.csv.", "Never delete 2025.csv.", False),
        ("Never merge PR 12.", "Never merge PR 15.", False),
        ("Don't close issue #12.", "Don't close issue #15.", False),
        ("Never use the debug port 8080.", "Never use the debug port 9090.", False),
        ("Always use the debug port 8080.", "Always use the debug port 9090.", True),
        ("Never deploy from server1 on Fridays.", "Never deploy from server2 on Fridays.", False),
        ("Use port 8080", "use port 9090", True),
        ("Do not use port 8080.", "Do not use port 9090.", False),
        ("Never merge PR 12.", "you may merge PR 12 now", True),
        ("Never merge PR 12.", "you may merge PR 15 now", False),
        ("Always use Python 3.11 for tests.", "Always use Python 3.12 for tests.", True),
        ("Never write functions longer than 50 lines.", "Never write functions longer than 30 lines.", True),
        ("Never use a timeout of 30 seconds.", "Never use a timeout of 60 seconds.", True),
    ],
)
def test_a_rule_is_superseded_only_by_one_on_the_same_matter(before: str, after: str, superseded: bool) -> None:
    """A later value of the same matter takes its place, and so does a permission, which is no rule itself."""
    found = rules([Request(before, "m1"), Request(after, "m2")])

    assert found[0].superseded is superseded
    assert [rule.text for rule in found[1:]] == [after] * (not after.startswith("you may"))


@pytest.mark.parametrize(
    ("tool", "name", "text", "statuses"),
    [
        ("TodoWrite", "todos", "content", ["completed", "in_progress", "pending"]),
        ("update_plan", "plan", "step", ["completed", "in_progress", "pending"]),
        ("manage_todo_list", "todoList", "title", ["completed", "in-progress", "not-started"]),
    ],
)
def test_the_list_of_each_tool(tool: str, name: str, text: str, statuses: list[str]) -> None:
    """Items and their status are read in each tool's format."""
    items: Any = [
        {text: one, "description": "d", "status": status} for one, status in zip("abc", statuses, strict=True)
    ]
    found = todos(find_steps(used(tool, "ok", **{name: items})))

    assert [(todo.text, todo.status) for todo in found] == [("a", "done"), ("b", "doing"), ("c", "open")]


def test_only_the_newest_list_counts() -> None:
    """A list that a later one replaced is superseded; a failed call changes nothing."""
    chat = [
        *used("TodoWrite", "ok", todos=[{"content": "old", "status": "pending"}]),
        *used("TodoWrite", "ok", todos=[{"content": "new", "status": "pending"}]),
        *used("TodoWrite", "bad", is_error=True, todos=[]),
        *used("manage_todo_list", "the list", operation="read"),
    ]

    assert [todo.text for todo in todos(find_steps(chat))] == ["new"]


def test_tasks_are_made_and_updated_one_by_one() -> None:
    """A task's number is in the result of the call that created it."""
    chat = [
        *used("TaskCreate", "Task #4 created successfully: a", subject="a", description="long"),
        *used("TaskCreate", "Task #7 created successfully: b", subject="b"),
        *used("TaskUpdate", "Updated task #4", taskId="4", status="completed"),
        *used("TaskUpdate", "Updated task #7", taskId="7", status="In Progress"),
        *used("TaskUpdate", "none", taskId="9", status="completed"),
    ]

    assert [(todo.text, todo.status) for todo in todos(find_steps(chat))] == [("a", "done"), ("b", "doing")]


def test_tasks_without_a_number_are_counted() -> None:
    """Where no result gives a number, tasks have those of their order."""
    chat = [
        *used("TaskCreate", "ok", subject="a"),
        *used("TaskCreate", "ok", subject="b"),
        *used("TaskUpdate", "ok", taskId="2", status="doing"),
    ]

    assert [(todo.text, todo.status) for todo in todos(find_steps(chat))] == [("a", "open"), ("b", "doing")]


@pytest.mark.parametrize("given", [{}, {"todos": None}, {"todos": [1, "x", {}]}, {"todos": 5}])
def test_a_list_of_another_shape_has_no_items(given: dict[str, Any]) -> None:
    """Nothing is invented if the call has no items."""
    assert todos(find_steps(used("TodoWrite", "ok", **given))) == ()


@pytest.mark.parametrize(
    ("text", "sections"),
    [
        pytest.param("# Bakery\n\n## Compact Instructions\n\nkeep prices\n", ("keep prices",), id="to the end"),
        pytest.param(
            "## Compact Instructions\na\n### Detail\nb\n## Next\nc", ("a\n### Detail\nb",), id="deeper inside"
        ),
        pytest.param("### Compact Instructions\na\n# Higher\nb", ("a",), id="up to a higher one"),
        pytest.param("###### COMPACT  instructions\na", ("a",), id="any level and case"),
        pytest.param("## 3. **Compact Instructions:** ##\na", ("a",), id="number, marks, colon"),
        pytest.param("  ## Compact Instructions\r\na\r\nb\rc", ("a\nb\nc",), id="G3 line ends"),
        pytest.param("\ufeff## Compact Instructions\na", ("a",), id="byte order mark"),
        pytest.param("## Compact Instructions\na\n## Summary instructions\nb", ("a", "b"), id="both"),
        pytest.param(
            "# Compact Instructions\na\n## Summary instructions\nb", ("a\n## Summary instructions\nb",), id="one"
        ),
        pytest.param(
            "## Compact Instructions\n```\n# no heading\n```\nb", ("```\n# no heading\n```\nb",), id="fence in it"
        ),
        pytest.param("```\n## Compact Instructions\na\n```\n", (), id="in a fence"),
        pytest.param("```\n## Compact Instructions\na", ("a",), id="R5 a fence that is never closed"),
        pytest.param(
            "## Compact Instructions\n#hashtag\n####### seven", ("#hashtag\n####### seven",), id="no headings"
        ),
        pytest.param("## Compact Instructions\n \t\n## Next\nx", (), id="G6 blank"),
        pytest.param("Compact Instructions\na\n**Compact Instructions**\nb", (), id="no number sign"),
        pytest.param("## Compact Instructions\u2028a\nb", (), id="G3 only line feeds part lines"),
    ],
)
def test_sections_are_found_by_their_heading(text: str, sections: tuple[str, ...]) -> None:
    """P8: the text under a heading for summaries, up to the next heading that is not below it, is a section."""
    assert instruction_sections(text) == sections


def test_a_section_is_bounded() -> None:
    """P8: a section that is too long ends with a whole line, or is truncated if it has only one."""
    (lines,) = instruction_sections("# Compact Instructions\n" + "keep this\n" * 10_000)
    (line,) = instruction_sections("# Compact Instructions\n" + "x" * 100_000)

    assert LONGEST_SECTION - 20 < len(lines) <= LONGEST_SECTION
    assert lines.endswith("\nkeep this")
    assert line == "x" * LONGEST_SECTION


@given(st.text(st.sampled_from("#`~ \nCompact Instructions:*\r"), max_size=200))
def test_any_text_can_be_looked_through(text: str) -> None:
    """G5: sections are trimmed pieces of the text, and none is blank."""
    for section in instruction_sections(text):
        assert section
        assert section == section.strip()
        assert section in text.replace("\r\n", "\n").replace("\r", "\n")
