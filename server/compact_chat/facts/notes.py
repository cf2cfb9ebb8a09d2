"""Notes: typed facts about the state of the work, and how each is written."""

from __future__ import annotations

from typing import Literal

from msgspec import Struct

WITH = "\0"  # joins two words that a mark needs on one line

NoteKind = Literal["commit", "push", "branch", "changes", "link", "issue", "check", "running"]


class Note(Struct, frozen=True):
    """A fact about the state: what it is about, the messages that state it last and first, and its marks in a text.

    A mark that begins with `WITH` may be in other words. Branch on the fields: no code may parse the texts.
    """

    kind: NoteKind
    name: str  # a commit's hash and subject, a branch, an issue, a check's command; the start of a list of changes
    message: str
    first: str
    marks: tuple[str, ...] = ()
    ok: bool = True  # False for a failed check, a refused push, and uncommitted changes
    result: str = ""  # a check's summary line, an issue's state, a process's id
    branch: str = ""
    folder: str = ""  # only if the chat works in several; of a check only if later edits are all elsewhere
    paths: tuple[str, ...] = ()
    pushed: bool = False
    stale: bool = False  # a check that passed before the last edit

    @property
    def text(self) -> str:
        """The whole fact."""
        match self.kind:
            case "commit":
                return f"Committed {self.name}{self._on_branch}"
            case "push":
                name = self.branch or "commits"
                return f"Pushed {name}{self._where}" if self.ok else f"Push of {name}{self._where} was refused"
            case "branch":
                return f"On branch {self.branch}{self._where}"
            case "changes":
                return f"{self.heading}: {', '.join(self.paths)}"
            case "issue":
                return f"State of {self.short}"
            case "check":
                return self.short + " (before the last edit)" * self.stale
            case "running":
                return f"Still running: {self.name} (id {self.result})"
            case "link":
                return self.name

    @property
    def short(self) -> str:
        """The fact under a heading that says what it is about."""
        if self.kind == "check":
            return f"{self.name} → {'passed' if self.ok else 'failed'}{self.result and f': {self.result}'}"
        return f"{self.name}: {self.result}" if self.kind == "issue" else self.name

    @property
    def heading(self) -> str:
        """What several commits share, or a list of changed paths is about."""
        return f"Committed{self._on_branch}" if self.kind == "commit" else f"{self.name}{self._where}"

    @property
    def key(self) -> str:
        """What identifies the fact while its state changes."""
        match self.kind:
            case "commit" | "issue":
                return f"{self.kind} {self.name}"
            case "push" | "branch":
                return f"{self.kind} {self.branch}{self._where}"
            case "check":
                return f"check {self.name} {not self.ok} {self.result}"
        return self.text

    @property
    def _on_branch(self) -> str:
        on = f" on {self.branch}" if self.branch else ""
        return f"{on} ({'pushed' if self.pushed else 'not seen to be pushed'})"

    @property
    def _where(self) -> str:
        return f" in {self.folder}" if self.folder else ""
