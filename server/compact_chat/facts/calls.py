"""What calls were given and what they returned: work handed to others, bodies that were posted, pages, refusals."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from contextlib import suppress

import msgspec
from msgspec import Struct

from compact_chat.errors import checkpoint
from compact_chat.facts.edits import here_documents, proposed
from compact_chat.facts.errors import FRAME, SEARCHES, file_read, target, task_of
from compact_chat.facts.files import PROSE, edited_paths, file_kind
from compact_chat.facts.steps import CLEARED, Run, Step, runs_of
from compact_chat.facts.user import listed_todos
from compact_chat.facts.words import sentences, shortened, shortened_command, without_bullet
from compact_chat.text import counted

LONGEST_TEXT = 20_000  # characters of a text that was given or returned
COMMIT = "git commit"
LONGEST_REFUSED, SMALL_FILE = 420, 500  # characters of a refused call, and of a file that is shown whole
LEAST_GIVEN = 120  # characters of an argument that is a text of its own
LONGEST_DIFF = 300
MANY_NORMS = 4  # words like `must` in a text that binds
LEAST_BODY = 20  # characters of a here-document that is posted
# Characters of the line that says how a command ended, of a short output, and of the output that is read.
LONGEST_OUTPUT, LONGEST_SHORT, MOST_OUTPUT = 120, 240, 6000
_GIVEN = ("prompt", "plan", "message", "instructions", "description", "body", "task", "content", "text")
_REFUSED = ("The user doesn't want to proceed with this tool use", "The user doesn't want to take this action")
_INTERNAL = frozenset({"taskcreate", "taskupdate", "toolsearch", "skill", "stopbash", "killshell", "think", "submit"})
_ASKS = re.compile(r"^ask|questions?$|^requestuserinput$")
_ABOUT = re.compile(r"\b((?:gh|glab) (?:issue|pr|mr|release)) (view|edit)\b")
_ARGUMENT = re.compile(r"[;&|\n]|(?:\"[^\"]*\"|'[^']*'|[^\s;&|\"'])+")
_PLACE, _VALUED = ("--repo", "-R"), ("--json", "--jq", "-q", "--template", "-t")  # options with a value
_TO_NAME = re.compile(r"\b(?:cat|tee)\s*>{1,2}\s*[\"']?\$|=\$\(\s*cat\b")  # a text that a variable stands for
_POSTED = re.compile(r"\b(?:commit|create|comment|edit|review)\b|--body|--message|--description|-d @-")
_BODY = re.compile(
    r"--?(?:body|message|notes|append-notes|description|design|acceptance|reason|comment|title|m|b|[fF] body)[= ]"
    r"\"((?:[^\"\\]|\\.){80,8000})\"",
    re.DOTALL,
)
_PART = frozenset({"offset", "limit", "start_line", "end_line", "startLine", "endLine", "view_range", "line_range"})
_PICTURE = re.compile(r"\[(?:image|document|pdf)\b", re.IGNORECASE)
_REMARK = re.compile(r"\A(?:#[^\n]*\n)+")  # before a command
_GUIDE = re.compile(r"Base directory for this skill: (\S{1,300})\s+")
_TRAILER = re.compile(  # of posts and of search tools, around what they say
    r"^(?:co-authored-by|signed-off-by|🤖|generated with|agentid:|<usage>|web search results for|links: \[|reminder: )",
    re.IGNORECASE,
)
_HOST = re.compile(
    r"^(?:\[[\w:.-]{1,30}\] \$ |[$>+] |<.{1,80}>|Output:|Process |Wall time|Chunk ID|Exit code"
    r"|Original token|Command:|Directory:|\(empty\)$|Error: \(none\)$|Signal: \d|Background PIDs:|Process Group PGID:)"
)
_GOES_ON = re.compile(r"<command with shellId: \S{1,40} is (still running after \d{1,6} \w{1,10})")
_SAYS = re.compile(
    r"\b(?:HTTP/?[\d.]{0,3} ?\d{3}|status|error|warn|fail|pass|success|creat|updat|delet|remov|merg"
    r"|total|real|denied|not found|version|result|score|exit)\w{0,5}\b",
    re.IGNORECASE,
)
_FAULT = re.compile(r"(?:^|[ :])(?:error|fatal|panic|failed to|could not|cannot|permission denied)\b", re.IGNORECASE)
_LETTER = re.compile(r"[^\W\d_]|\d")
_HIDES = re.compile(r">&?\s?(?:/dev/null|-(?=[\s;&|)]|\Z))")  # the errors, or all output
_MADE = re.compile(  # what a service made
    r"(?<=\"html_url\":\")https?://[^\s\"]{4,300}?/(?:pull|issues|commit|merge_requests|releases)/[^\s\"]{1,200}"
)


class Exchange(Struct, frozen=True):
    """A call that was given a text or returned one: what it is, both texts, and its message."""

    head: str
    given: str
    returned: str
    message: str
    verb: str = "Called"

    @property
    def is_code(self) -> bool:
        """Whether it returned a small file, in which each line counts as it is."""
        return self.verb == "Read" and len(self.returned) <= SMALL_FILE and not self.head.endswith(PROSE)

    @property
    def is_guide(self) -> bool:
        """Whether it is a skill, which the tool can load again."""
        return "/skills/" in self.head.replace("\\", "/")

    @property
    def binds(self) -> bool:
        """Whether it returned a text that says what has to be done, like a skill or a specification."""
        return len(_NORM.findall(self.returned[:LONGEST_TEXT])) >= MANY_NORMS


class Reply(Struct, frozen=True):
    """A reply to a comment of a review: how it was posted, the comment, what it says, by whom, and its message."""

    form: str
    comment: str
    text: str
    account: str
    message: str


_LOGIN = re.compile(r"\"login\": ?\"([\w-]{1,60})\"")
_REPLY = re.compile(
    r"(gh api \S{1,200}\bcomments/(\d{3,20})/replies\b[^\n\"']{0,80}body=)"
    r"(?:\"((?:[^\"\\]|\\.){1,800})\"|'([^'\n]{1,800})')"
)


def replies(taken: Sequence[Step]) -> list[Reply]:
    """List the replies that commands posted, of each comment the last."""
    found: dict[str, Reply] = {}
    for step in taken:
        if step.done and "/replies" in step.command:
            login = _LOGIN.search((step.answer or "")[:LONGEST_TEXT])
            for one in _REPLY.finditer(step.command[:LONGEST_TEXT]):
                found.pop(one[2], None)
                text = (one[3] or one[4]).replace('\\"', '"')
                found[one[2]] = Reply(one[1], one[2], text, login[1] if login else "", step.message)
    return list(found.values())


def exchanges(taken: Sequence[Step]) -> list[Exchange]:
    """List the calls that handed over or fetched a text: plans, prompts of workers, posted bodies, pages.

    Of what was viewed or edited several times, like an issue, only the last counts.
    """
    found: dict[tuple[str, ...] | int, Exchange] = {}
    for step in taken:
        checkpoint()
        answer = "" if step.answer == CLEARED or step.outcome != "ok" else step.answer or ""
        if step.answer is not None and step.outcome == "unknown":  # it never ran
            continue
        key = id(step)  # calls of one message may have no ids
        if step.command:
            verb, about = _about(step.command[:2000])
            if step.done and not _REPLY.search(step.command[:LONGEST_TEXT]) and (body := _body(step.command)):
                if verb == "edit":
                    found.pop(about, None)
                is_commit = COMMIT in step.command.partition("<<")[0]
                head = COMMIT if is_commit else shortened_command(_REMARK.sub("", step.command), 80)
                found[key] = Exchange(head, body, "", step.message)
            elif verb == "view" and answer:
                found.pop(about, None)
                found[about] = Exchange(shortened_command(step.command, 100), "", _fields(answer), step.message)
        elif _is_other(step):
            texts = {name: one for name, one in step.call.input.items() if isinstance(one, str) and one.strip()}
            name = next((name for name in _GIVEN if len(texts.get(name, "")) >= LEAST_GIVEN), "")
            rest = (shortened(one, 80) for key, one in texts.items() if key != name and len(one) < LEAST_GIVEN)
            head = " ".join((step.call.name, *list(rest)[:2]))
            returned = _fields(answer, brief=name != "")
            if name or len(returned) >= LEAST_BODY:
                found[key] = Exchange(head, texts.get(name, "")[:LONGEST_TEXT], returned, step.message)
    return list(found.values())


def _about(command: str) -> tuple[str, tuple[str, ...]]:
    """Tell whether a command views or edits something like an issue, and which: its kind, repository and name."""
    begun = _ABOUT.search(command)
    place = name = before = ""
    for word in _ARGUMENT.findall(command.replace("\\\n", "  "), begun.end()) if begun else ():
        if word in ";&|\n":
            break
        option, _, value = word.partition("=")
        if before in _PLACE:
            place = word
        elif option in _PLACE:
            place = value
        elif not name and before not in _VALUED and word[0] != "-":
            name = word
        before = word
    return (begun[2], (begun[1], place, name or command)) if begun else ("", ())


def _is_other(step: Step) -> bool:
    """Whether a call is neither of a shell, nor of files, searches, lists and questions."""
    return not (
        file_kind(step)
        or step.tool in SEARCHES
        or step.tool in _INTERNAL
        or "session_id" in step.call.input
        or "shellId" in step.call.input
        or listed_todos(step) is not None
        or _ASKS.search(step.tool)
    )


def _body(command: str) -> str:
    """Return the texts that a command posts or hands over, without trailers."""
    posts = _POSTED.search(command)
    given = ((line, text) for line, text in here_documents(command) if len(text) >= LEAST_BODY)
    texts = [text for line, text in given if posts or _TO_NAME.search(line)]
    texts = texts or [found[1].replace('\\"', '"') for found in _BODY.finditer(command[:LONGEST_TEXT])]
    lines = "\n".join(texts).split("\n")  # texts of one call repeat each other
    return _without_trailers("\n".join(dict.fromkeys(lines) if len(texts) > 1 else lines))[:LONGEST_TEXT]


def _without_trailers(text: str) -> str:
    return "\n".join(line for line in text.split("\n") if not _TRAILER.match(line.strip()))


def _fields(answer: str, *, brief: bool = False) -> str:
    """Return the title and the body of an answer in JSON, else the answer; `brief` leaves out what was given."""
    head, framed, rest = answer.partition("\nOutput:\n")
    answer = rest if framed and len(head) < 300 else answer
    if not answer.lstrip().startswith("{"):
        return _without_trailers(answer[:LONGEST_TEXT])
    with suppress(msgspec.DecodeError, UnicodeEncodeError, RecursionError):  # also where it is nested too deeply
        read = msgspec.json.decode(answer)
        names = ("identifier", "title", "url", "state", "body", "description", "result", "text")
        texts = [one for name in names[: 4 if brief else None] if isinstance(one := read.get(name), str)]
        listed = listed if isinstance(listed := read.get("files"), list) else ()
        paths = [str(one["path"]) for one in listed if isinstance(one, dict) and "path" in one]
        texts += [f"files: {', '.join(paths)}"] * bool(paths)
        return "\n".join(texts)[:LONGEST_TEXT]
    return ""


def is_refused(step: Step) -> bool:
    """Whether the user refused a call."""
    return bool(step.answer and step.answer.startswith(_REFUSED))


def refusals(taken: Sequence[Step]) -> Iterator[tuple[str, str]]:
    """Yield the messages of the calls that the user refused, and the calls, with what an edit would have changed."""
    for step in taken:
        if is_refused(step):
            sides = ((one.old or ("nothing",), one.new or ("nothing",)) for one in proposed(step)[:2])
            edits = (" → ".join(map("; ".join, both)) for both in sides)
            text = ": ".join((f"{step.call.name} {shortened(target(step), 120)}", *edits))
            yield step.message, shortened(text, LONGEST_REFUSED)


def documents(
    taken: Sequence[Step], host: Sequence[tuple[str, str]], attached: Iterable[tuple[str, str, str]] = ()
) -> Iterator[Exchange]:
    """Yield the texts that the chat has read: documents, small files, guides that the host has shown, attached files.

    Leave out code that the chat edited: its edits are shown instead.
    """
    found: dict[str, Exchange] = {}
    edited = {path for step in taken for path in edited_paths(step)}
    for path, text, message in attached:
        if path not in edited:
            found.pop(path, None)
            found[path] = Exchange(path, "", text[:LONGEST_TEXT], message, "Read")
    for message, text in host:
        if guide := _GUIDE.match(text):
            found[guide[1]] = Exchange(guide[1], "", text[guide.end() : LONGEST_TEXT], message, "Read")
    for step in taken:
        path = file_read(step)
        if path and step.done and step.answer and step.answer != CLEARED and not _INSTRUCTIONS.search(path):
            lines = (_LINE_NUMBER.sub("", line) for line in step.answer[:LONGEST_TEXT].split("\n"))
            plain = "\n".join(line for line in lines if not FRAME.match(line) and line != "Output:")
            text = plain.partition("<system-reminder>")[0].strip()
            is_part = path in edited or _PICTURE.match(text) or not _PART.isdisjoint(step.call.input)
            if text and (path.endswith(PROSE) or (len(text) <= SMALL_FILE and not is_part)):
                found.pop(path, None)
                found[path] = Exchange(path, "", text, step.message, "Read")
    yield from found.values()


def outcomes(taken: Sequence[Step]) -> dict[int, str]:
    """Map the steps whose commands did something to what each said last; by the identity of the step."""
    return {id(run.step): line for run in runs_of(taken) if (line := _outcome(run))}


# Where files are staged by hunks, a hunk stands behind the question about the one before.
_HUNK = re.compile(
    r"^(?:diff --git a/(\S{1,300}) b/"
    r"|(?:\(\d+/\d+\) [^\n]{1,80}\]\? ?)?@@ -(\d{1,7})(?:,(\d{1,7}))? \+\S+ @@ ?([^\n]{0,200}))",
    re.MULTILINE,
)
_OLD_LINE = re.compile(r"^(?:[ -]|$)", re.MULTILINE)


def _hunks(output: str) -> str:
    """Return the files of a diff, with the line and the function of each hunk; whether there are more if it was cut."""
    files: dict[str, list[str]] = {}
    name, lines, end = "", 0, 0
    for match in _HUNK.finditer(output, 0, LONGEST_TEXT):
        file, line, length, where = match.groups()
        name = file.rpartition("/")[2] if file else name
        hunks = files.setdefault(name, [])
        if line:
            hunks.append(f"{line} {shortened(where, 40)}".strip())
            lines, end = int(length or 1), match.end() + 1
    is_cut = len(output) > LONGEST_TEXT or sum(1 for _ in _OLD_LINE.finditer(output, end)) < lines
    told = [f"{file}: {counted(len(hunks), 'hunk')} ({', '.join(hunks[:6])})" for file, hunks in files.items() if hunks]
    return shortened("; ".join(told) + " and perhaps more: the output was cut" * is_cut, LONGEST_DIFF) if told else ""


def _outcome(run: Run) -> str:
    """Return the line of an output that says how it ended: one that says so, else the last."""
    lines = [line.strip().removeprefix("Output: ") for line in run.output[-MOST_OUTPUT:].split("\n")]
    lines = [line for line in lines if _LETTER.search(line) and line[-1] != ":"]
    lines = [line for line in lines if not (FRAME.match(line) or _HOST.match(line))]
    if not lines or lines[0] == CLEARED:
        is_silent = not lines and task_of(run.step).only_reads and not run.failed
        return "no output" if is_silent and not _HIDES.search(run.command) else ""
    lines = [going[1] if (going := _GOES_ON.match(line)) else line for line in lines]
    if run.output.lstrip().startswith(("{", "[{")) and (
        (made := _MADE.search(run.output)) or len(lines[0]) > LONGEST_DIFF
    ):
        return made[0] if made else ""
    if hunks := _hunks(run.output):
        return hunks
    looks = task_of(run.step).only_reads
    if len(lines) <= 2 or (looks and sum(map(len, lines)) <= LONGEST_SHORT):
        return shortened("; ".join(lines), LONGEST_SHORT if looks else LONGEST_OUTPUT)
    if looks:
        return ""
    said = [line for line in reversed(lines) if _SAYS.search(line)] or lines[-1:]
    fault = next((line for line in said if _FAULT.search(line)), said[0])
    return shortened(fault, LONGEST_OUTPUT)


# Rules of the project in the instruction files that the chat holds.

_INSTRUCTIONS = re.compile(
    r"(?:^|[\\/])(?:CLAUDE(?:\.local)?|AGENTS?|GEMINI|CONTRIBUTING|copilot-instructions|\.cursorrules|\.windsurfrules)"
    r"(?:\.md)?$",
    re.IGNORECASE,
)
_CONTENTS = re.compile(
    r"(?:Contents of (\S{1,300}\.md)\b[^\n]{0,120}:|^# (AGENTS\.md) instructions for \S+)", re.MULTILINE
)
_NORM = re.compile(
    r"\b(?:must|never|always|do not|don['’]t|required|mandatory|before (?:every|each|any|you|commit|push)\w{0,4}|after"
    r" (?:every|each|any)|make sure)\b",
    re.IGNORECASE,
)
_RUNS = re.compile(
    r"`?\b(?:npm|pnpm|yarn|bun|mise|just|make|go|cargo|pytest|uv|python3?|poetry|tox|ruff|mypy|dotnet|gradle|mvn"
    r"|docker|bundle|rake|composer|deno|turbo|nx)\b[ `]"
)
_LINE_NUMBER = re.compile(r"^\s*\d+[→\t.:]\s?")
_WORK = re.compile(  # what a rule is about that binds the next steps
    r"\b(?:must|never|always|commit|push|branch|stash|pull request|pr|merge|test|lint|format"
    r"|verif|review|secret|credential|ready|done|issue|changelog|comment|style)",
    re.IGNORECASE,
)
_STRICT = re.compile(
    r"\b(?:required|mandatory|blocking|non-negotiable|before (?:every|each|any|marking|review))\b", re.IGNORECASE
)
LEAST_RULE, LONGEST_GUIDE = 8, 60_000  # characters of a rule, and of an instruction file
MOST_COMMANDS, LONGEST_RUN, MOST_RULES, LONGEST_RULE = 8, 120, 8, 220  # of a file; characters
_DANGLES = re.compile(r"[})\]]|(?:This|That|These|Those|It|They)\b")  # a sentence that needs the one before


def project_rules(taken: Sequence[Step], host: Sequence[tuple[str, str]]) -> dict[str, list[str]]:
    """Map each instruction file to its commands, and the rules that bind the most; `host` are texts with ids."""
    found: dict[str, list[str]] = {}
    for _, text in host:
        for one in _CONTENTS.finditer(text):
            part = text[one.end() : one.end() + LONGEST_GUIDE].partition("\nContents of ")[0]
            found[one[1] or one[2]] = _rules_in(part)
    for step in taken:
        path = file_read(step)
        if path and step.answer and step.done and _INSTRUCTIONS.search(path):
            lines = (_LINE_NUMBER.sub("", line) for line in step.answer[:LONGEST_GUIDE].split("\n"))
            found[path] = _rules_in("\n".join(lines)) or found.get(path, [])
    return {path: rules for path, rules in found.items() if rules}


def _rules_in(text: str) -> list[str]:
    """List the commands of a page, and its sentences with a norm."""
    runs, norms = dict[str, None](), dict[str, None]()
    fenced = False
    for line in text.split("\n"):
        bare = without_bullet(line).strip()
        fenced ^= bare.startswith("```")
        if len(bare) < LEAST_RULE or bare.startswith(("#", "<", "|", "```")):
            continue
        stated = [" ".join(one.replace("**", "").split()).rstrip(".:") for one in sentences(bare)]
        stated = [" ".join(bare.split("  # ")[0].split())] if fenced else stated
        is_rest = bare[:1].islower() and bare == line.strip()  # of a sentence that the line before begins
        for one in stated:
            if _RUNS.search(one) and (fenced or "`" in one) and len(one) <= LONGEST_RUN:
                runs.setdefault(one)
            elif not (fenced or is_rest) and len(one) <= LONGEST_RULE and _NORM.search(one) and not _DANGLES.match(one):
                norms.setdefault(one)

    def binding(rule: str) -> int:  # the next steps: by its words for work, and for how strict it is
        return len(set(map(str.lower, _WORK.findall(rule)))) + 2 * bool(_STRICT.search(rule))

    return [*list(runs)[:MOST_COMMANDS], *sorted(norms, key=binding, reverse=True)[:MOST_RULES]]
