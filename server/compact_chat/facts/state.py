"""The state of the work, with evidence: commits, pushes, branches, what is uncommitted, checks, and what still runs.

Everything is read from commands and their output; what the assistant claims about them does not count.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from itertools import takewhile

from msgspec import Struct

from compact_chat.facts.checks import checks
from compact_chat.facts.files import edited_paths, file_kind, is_agents_own
from compact_chat.facts.notes import WITH, Note
from compact_chat.facts.steps import CLEARED, ENDED, Run, Step, runs_of
from compact_chat.facts.words import shortened, shortened_command

# Version control: what was committed, pushed, and left, in each folder.

_COMMITTED = re.compile(
    r"^\[([^\[\]\n ]{1,200})(?: [^\[\]\n]{1,60})? ([0-9a-f]{7,40})\] (\S[^\n]{0,300})$", re.MULTILINE
)
# A pattern with a literal prefix is searched faster.
_GIT = r"git(?<=\bgit)(?:\s+-[cC]\s+\S{1,300}|\s+--?[\w=-]{1,60}){0,4}\s+"
_COMMIT = re.compile(rf"{_GIT}commit\b")
_SUBJECT = re.compile(
    r"(?:-m|--message)[= ]?\s*(?:\"\$\(cat <<-?\s*['\"]?\w{1,20}['\"]?\s*\n\s*([^\n]{1,300})"
    r"|\"([^\"\n]{1,300})|'([^'\n]{1,300}))"
)
_PUSH = re.compile(rf"{_GIT}push\b(?![^\n;&|]{{0,200}}(?:--dry-run|-n\b|:refs|--delete))")
_PUSHED = re.compile(r"^\W{0,4}\w{7,40}\.{2,3}\w{7,40}\s+(\S+) -> |^\W{0,4}\[new branch\]\s+(\S+) -> ", re.MULTILINE)
_REFUSED = re.compile(r"^\s*(?:! \[|error: failed to push|remote: error|fatal: )", re.MULTILINE)
_BRANCH = re.compile(
    r"^(?:Output: )?(?:On branch |## (?:No commits yet on )?|Switched to (?:a new |and reset )?branch ')"
    r"([\w./@-]{1,200}?)(?='|\.\.\.|\s|$)(?:\.\.\.\S{1,200}(?: \[([^\]\n]{1,60})\])?)?",
    re.MULTILINE,
)
_AHEAD = re.compile(r"^Your branch is (up to date|ahead of \S{1,200} by (\d{1,6}))|\bahead (\d{1,6})", re.MULTILINE)
_STATUS = re.compile(rf"{_GIT}status\b")
_CHANGED = re.compile(
    r"^(?:(?!  )[ MADRCU?!]{2} |\t(?:modified|new file|deleted|renamed):\s{1,10})(\S[^\n]{0,400})$", re.MULTILINE
)
_UNSTAGED = re.compile(r"^(?:[ MADRCU?!][MADRCU?!] |Changes not staged|Untracked files)", re.MULTILINE)
_CLEAN = "nothing to commit"
_DISCARDS = re.compile(
    rf"{_GIT}(?:(?:stash(?! (?:list|pop|apply|show))|reset --hard|restore|clean)\b"
    r"|checkout (?:\S{1,60} )?(?:--|\.)(?=\s|$))"
)
_UNDONE = re.compile(  # a path behind it would reset a file, and no commit
    rf"{_GIT}reset\s+(?:--?\w{{1,10}}\s+){{0,3}}([\"']?)HEAD(?:~(\d{{0,3}})|(\^{{1,9}}))\1"
    r"(?=(?:[ \t]+--?\w{1,10}){0,3}[ \t]*(?:$|[;&|)\n#]|\d?>))"
)
_IN_ONE = re.compile(r"\bgit\s+-C\s+(\S{1,400})|\bcd\s+([^\s;&|]{1,400})")
_THROWAWAY = re.compile(r"\bgit init\b")
_OPENED = re.compile(r"\bgh (pr|issue|release) create\b|\bglab (mr|issue) create\b")
_LINK = re.compile(r"https?://\S{5,300}?/(?:pull|issues|merge_requests|releases/tag)/[\w.-]{1,60}")
_MERGE = re.compile(rf"{_GIT}merge\s+(?:--?[\w=-]{{1,40}}\s+)*([\w./-]{{2,200}})")
_MERGED = re.compile(r"\bgh pr merge\s+(\d{1,8})")
_TRACKED = re.compile(r"\b(bd|(?:gh|glab) (?:issue|pr|mr)) (create|close|reopen|update|show|view) ?([^;&|\n]{0,600})")
_CREATED = re.compile(r"Created issue: ([\w.-]{2,40})|^\W{0,6}\"id\": ?\"([\w.-]{2,40})\"", re.MULTILINE)
_STATE = re.compile(
    r"\b(?:status|state)\"?: ?\"?(\w{2,20})|\[[^\]\n]{0,20}\b(OPEN|CLOSED|IN_PROGRESS|BLOCKED)\]", re.IGNORECASE
)
_MADE = re.compile(r"--(?:status|state)[= ]([\w-]{2,20})")
_ENDS = {"create": "open", "close": "closed", "reopen": "open"}
MOST_PATHS, MOST_UNPUSHED = 30, 500


class Commit(Struct):
    """A commit that a command made; its hash is empty where the output was cleared."""

    branch: str
    hash: str
    subject: str
    message: str
    pushed: bool = False


def subjects_of(command: str) -> list[str]:
    """Return the first lines of the messages that a command gives commits."""
    return [next(filter(None, one.groups())) for one in _SUBJECT.finditer(command)]


def hashes_of(output: str) -> tuple[str, ...]:
    """Return the short hashes of the commits that a command made."""
    return tuple(one[2][:7] for one in _COMMITTED.finditer(output))


_KIND = re.compile(r"^\w{1,20}(?:\([^()\n]{1,60}\))?!?: ")  # of conventional commits


def subject_mark(subject: str) -> str:
    """Return the mark that shows a commit by its subject, in any words."""
    return subject and WITH + _KIND.sub("", subject)


class Repository:
    """What is known of one working copy."""

    def __init__(self, folder: str) -> None:
        self.folder = folder
        self.branch, self.branch_seen = "", ""
        self.commits: list[Commit] = []
        self.changed: tuple[str, ...] | None = None  # None: not known
        self.changed_seen = ""
        self.staged = False  # all of them
        self.pushes: dict[str, tuple[bool, str]] = {}  # by branch: whether it worked, and the message
        self.links: list[Note] = []  # what was opened and merged

    def see(self, run: Run) -> None:
        """Read one command and its output."""
        command, output, message = run.command, run.output, run.ended
        is_one = len(set(_IN_ONE.findall(command))) < 2  # with several repositories, the output may be of any
        if is_one:
            self._branches(output, message, bool(_STATUS.search(command)))
        undone = None if run.failed else _UNDONE.search(command)
        committed = _COMMIT.search(command)
        is_first = undone and committed and undone.start() < committed.start()
        if undone and is_first:
            self._undo(undone)
        if committed:
            self._commit(run)
        if is_one and _STATUS.search(command) and output.strip() != CLEARED and not run.failed:
            self._status(output, message)
        elif _DISCARDS.search(command) and not run.failed:
            self.changed = None
        if undone and not is_first:
            self._undo(undone)
        if _PUSH.search(command):
            self._push(run)
        if (opened := _OPENED.search(command)) and (link := _LINK.search(output)):
            self._link(f"Opened {opened[1] or opened[2]} {link[0]}", message, link[0])
        if (joined := _MERGE.search(command)) and not run.failed and "CONFLICT" not in output:
            self._link(f"Merged {joined[1]}", message, f"merg{WITH}{joined[1].rpartition('/')[2].lower()}")
        if (merged := _MERGED.search(command)) and not run.failed:
            self._link(f"Merged pull request #{merged[1]}", message, f"merg{WITH}#{merged[1]}")

    def _link(self, text: str, message: str, mark: str) -> None:
        self.links.append(Note("link", text, message, message, (mark,)))

    def _branches(self, output: str, message: str, is_status: bool) -> None:
        output = output[:20_000]
        for found in _BRANCH.finditer(output) if "branch " in output or "## " in output else ():
            if "## " in found[0] and not is_status:  # a heading
                continue
            self.branch, self.branch_seen = found[1], message
            if found[2] is None and "..." in found[0]:
                self._mark_pushed(found[1], unpushed=0)
        if self.branch and ("ahead " in output or "up to date" in output) and (ahead := _AHEAD.search(output)):
            self._mark_pushed(self.branch, unpushed=int(ahead[2] or ahead[3] or 0))

    def _undo(self, reset: re.Match[str]) -> None:
        number = len(reset[3]) if reset[3] else int(reset[2] or 1)
        self.commits = self.commits[: max(0, len(self.commits) - number)]

    def _commit(self, run: Run) -> None:
        made = _COMMITTED.finditer(run.output)
        found = [Commit("" if one[1] == "detached" else one[1], one[2], one[3], run.ended) for one in made]
        if not found and run.output.strip() == CLEARED:
            found = [Commit(self.branch, "", subject, run.ended) for subject in subjects_of(run.command)[:1]]
        if not found:
            return
        if "--amend" in run.command and self.commits:
            self.commits.pop()
        self.commits += found
        self.branch, self.branch_seen = found[-1].branch or self.branch, run.ended
        self.changed = None

    def _status(self, output: str, message: str) -> None:
        paths = tuple(dict.fromkeys(one[1].strip() for one in _CHANGED.finditer(output)))
        short = _CLEAN in output or not output.strip() or output.lstrip().startswith("## ") or "## " in output
        if paths or short:
            self.changed, self.changed_seen = paths[:MOST_PATHS], message
            self.staged = not _UNSTAGED.search(output)

    def _push(self, run: Run) -> None:
        to = _PUSHED.search(run.output)
        branch = (to[1] or to[2]) if to else self.branch
        refused = (run.failed and not to) or bool(_REFUSED.search(run.output))
        if run.running or not (branch or self.commits):
            return
        self.pushes[branch] = not refused, run.ended
        if not refused:
            self._mark_pushed(branch, unpushed=0)

    def _mark_pushed(self, branch: str, unpushed: int) -> None:
        own = [one for one in self.commits[-MOST_UNPUSHED:] if one.branch in (branch, "")]
        for place, one in enumerate(own):
            one.pushed = place < len(own) - unpushed

    def notes(self, several: bool) -> Iterator[Note]:
        """Yield what is known, the newest state of each."""
        folder = self.folder if several else ""
        for one in self.commits:
            name = f"{one.hash[:12]} {one.subject}".strip()
            marks = tuple(filter(None, (one.hash[:7], subject_mark(one.subject))))
            yield Note("commit", name, one.message, one.message, marks, branch=one.branch, pushed=one.pushed)
        for branch, (worked, message) in self.pushes.items():
            marks = ("pushed",) if worked else tuple(f"push{WITH}{word}" for word in ("refused", "fail", "reject"))
            yield Note("push", branch, message, message, marks, ok=worked, branch=branch, folder=folder)
        if self.branch:
            seen, name = self.branch_seen, self.branch
            yield Note("branch", name, seen, seen, (name,), branch=name, folder=folder)
        if self.changed:
            seen, name = self.changed_seen, "Staged, not committed" if self.staged else "Uncommitted"
            marks = ("uncommitted", "not committed", "not yet committed", "unstaged", "untracked", "staged")
            yield Note("changes", name, seen, seen, marks, ok=False, folder=folder, paths=self.changed)
        yield from self.links


_SERVES = re.compile(r"\b(?:dev|serve|server|start|watch|up|preview|tail -f|daemon)\b")
LONGEST_RUNNING = 400  # characters: it may have to be started again
MOST_OF_COMMAND = 20_000  # characters
RECENT = 10  # commands; older ones that no background was asked for have ended unseen


def running(runs: Sequence[Run], told: Sequence[str]) -> Iterator[Note]:
    """Yield the processes that were started in the background and not seen to end; `told` are texts of the host."""
    for place, run in enumerate(runs):
        asked = "background" in run.output[:1000] or _SERVES.search(run.command) or place >= len(runs) - RECENT
        if run.running and asked and not any(run.running in text and ENDED.search(text) for text in told):
            name = shortened_command(run.command, LONGEST_RUNNING)
            marks = shortened(run.command, 60).removesuffix("…"), run.running
            yield Note("running", name, run.ended, run.step.message, marks, result=run.running)


def tracked(runs: Sequence[Run]) -> Iterator[Note]:
    """Yield the issues and pull requests that commands created, changed or showed, each with its last state."""
    last: dict[str, Note] = {}
    for run in runs:
        for tool, verb, given in _TRACKED.findall(run.command[:MOST_OF_COMMAND]) if not run.failed else ():
            names = list(takewhile(lambda word: word[0] != "-", given.split()))
            if verb == "create":
                made = _CREATED.search(run.output)
                names = [made[1] or made[2]] if made else []
            found = _MADE.search(given) if verb == "update" else _STATE.search(run.output[:MOST_OF_COMMAND])
            state = "in progress" if "--claim" in given else next(filter(None, found.groups()), "") if found else ""
            state = _ENDS.get(verb, state.lower())
            for name in names if state else ():
                name = f"{tool.partition(' ')[2]} #{name}".strip() if name.isdigit() else name.rpartition("/")[2]
                before = last.pop(name, None)
                first = before.first if before else run.ended
                marks = (f"{name.lower()}{WITH}{state[:4]}",)
                last[name] = Note("issue", name, run.ended, first, marks, result=state.replace("_", " "))
    yield from last.values()


def state_of(taken: Sequence[Step], told: Sequence[str] = ()) -> tuple[Note, ...]:
    """List the state that the chat's commands left: version control, checks, running processes."""
    runs = runs_of(taken)
    repositories: dict[str, Repository] = {}
    for run in runs:
        if "git" in run.command or "gh " in run.command or "glab " in run.command:
            if _THROWAWAY.search(run.command):
                continue
            repositories.setdefault(run.folder, Repository(run.folder)).see(run)
    known = list(repositories.values())
    newer: dict[str, list[set[str]]] = {}  # the changed files of newer ones, by the name of each
    for one in reversed(known):  # one working copy may be named in several ways
        names = {path.rpartition("/")[2] for path in one.changed or ()}
        rarest = min((newer.get(name, []) for name in names), key=len, default=[])
        if any(names <= others for others in rarest):
            one.changed = None
        for name in names:
            newer.setdefault(name, []).append(names)
    notes = [note for one in known for note in one.notes(len(known) > 1)]
    changing = ((place, step) for place, step in enumerate(taken) if step.done and file_kind(step) in ("write", "edit"))
    edits = [
        (place, path) for place, step in changing for path in edited_paths(step) or ("",) if not is_agents_own(path)
    ]
    return (*notes, *tracked(runs), *checks(runs, edits), *running(runs, told))
