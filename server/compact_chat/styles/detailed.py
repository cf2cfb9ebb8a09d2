"""The detailed style: an analysis that is discarded, then nine numbered sections (rules F, L and P1 to P10)."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from msgspec import structs

from compact_chat.chat import Warning
from compact_chat.errors import NoSummary
from compact_chat.plan import Direction
from compact_chat.styles.markdown import Titles, common_indent, cut_at, escaped, find_blocks, unescaped_line
from compact_chat.styles.style import (
    HEADER,
    TASK,
    Material,
    Request,
    Slot,
    Summary,
    SummaryStyle,
    Task,
    blocks,
    readable,
)
from compact_chat.text import closed_fences, find_tags, line_feeds

TITLES = (
    "Primary Request and Intent",
    "Key Technical Concepts",
    "Files and Code Sections",
    "Errors and fixes",
    "Problem Solving",
    "All user messages",
    "Pending Tasks",
    "Current Work",
    "Optional Next Step",
    "Context for Continuing Work",  # instead of the previous one, if newer messages stay (rule P6)
    "IMMEDIATE TASK",  # unnumbered, on request (rule P10)
)
NOTHING = "(none)"  # offline, the content of an empty section
LEAST_TITLES = 3
_SHARES = (20, 5, 20, 10, 15, 15, 5, 5, 5)  # percent of the words, by section
_FORM_END = "\n</summary>\n</example>"
_BLANK_LINES = re.compile(r"\n(?>[^\S\n]*+\n)++")
_NO_SUMMARY = (
    "The reply holds no summary: expected a <summary> block, or at least three of the section titles as headings."
)
_CUT_OFF = Warning("unclosedSummary", "The summary has no closing tag: it may be cut off.")
_NO_TAGS = Warning("missingTags", "The summary came without its tags: the whole text outside analysis was taken.")


def key_of(title: str) -> str:
    """Return the title in camelCase."""
    first, *others = title.lower().split()
    return first + "".join(word.capitalize() for word in others)


_HEADS = {
    key_of(title): f"{title}:" if title == TITLES[-1] else f"{min(number, 9)}. {title}:"
    for number, title in enumerate(TITLES, 1)
}
_TASK_WORD = TITLES[-1].lower().split()[0]
_TITLES = Titles(zip(TITLES, _HEADS, strict=True), bare=True)


def titled_sections(text: str) -> Iterator[tuple[str, str]]:
    """Yield the text below each heading, without escapes and common indentation."""
    for key, first, lines in _TITLES.sections(line_feeds(text)):
        content = [line if fenced else unescaped_line(line, _TITLES.is_structure) for line, fenced in lines]
        common = common_indent(content)
        yield key, "\n".join([first, *(line[common:] for line in content)]).strip()


def last_task(text: str) -> str:
    """Return the last section on the current task, in a summary of any style (rule P10)."""
    if _TASK_WORD not in text.lower():  # as in most summaries, which need not be parsed then
        return ""
    texts = [content for key, content in titled_sections(text) if key == TASK]
    return texts[-1] if texts else ""


class Detailed(SummaryStyle):
    """Nine numbered sections behind a line `Summary:`."""

    name = "detailed"
    titles = _TITLES
    catch_all = "currentWork"
    header = HEADER
    repeats_requests = True
    unheaded = "quotes"
    escapes_headings = False
    slots = (
        Slot("primaryRequestAndIntent", ("intent", "rules"), "intent"),
        Slot("keyTechnicalConcepts", ("terms",), "terms"),
        Slot("filesAndCodeSections", ("modified", "read", "oldFiles"), "files"),
        Slot("errorsAndFixes", ("openErrors", "fixedErrors", "oldErrors"), "errors"),
        Slot("problemSolving", ("decisions", "commands", "results", "lookups", "reported"), "outcomes"),
        Slot("allUserMessages", ("quotes",), "quotes"),
        Slot("pendingTasks", ("todos", "oldTodos"), "todos"),
        Slot("currentWork", ("state",), "state"),
        Slot("optionalNextStep", ("next",)),
        Slot("contextForContinuingWork", ("context",), "context"),
        Slot(TASK, ("task",)),
    )

    def prompt(self, task: Task, about: Material) -> Request:
        """Write the frames, then the prompt with its parts in order (rules L2 and P1)."""
        of_part = () if task.direction == "all" else (f"detailed-{task.direction}",)
        words = self.words(*of_part)
        left_out = TITLES[8 if task.direction == "upTo" else 9]
        titles = [title for title in TITLES[:-1] if title != left_out]
        asked = [words[f"Section {number}"].split("\n\n") for number in range(1, 1 + len(titles))]
        numbered = [f"{number}. {title}" for number, title in enumerate(titles, 1)]
        filled = [f"## {title}\n{filling}" for title, (_, filling) in zip(numbered, asked, strict=True)]
        form = blocks((*filled, words["Immediate task example"] if task.wants_task else ""))
        text = blocks(
            (
                words["No tools"],
                *task.introduction(words, more=about.more, earlier=bool(about.earlier)),
                words["Analysis"],
                words["Sections"],
                "\n".join(f"{title}: {content}" for title, (content, _) in zip(numbered, asked, strict=True)),
                words["Immediate task"] if task.wants_task else "",
                f"{words['Example']}\n{form}{_FORM_END}",
                words["Closing"],
                *task.conduct(words, dict(zip(titles, _SHARES, strict=True))),
                task.instructions,
                task.closing(words["Reminder"]),
            )
        )
        return Request(about.frames, text)

    def read(self, reply: str) -> Summary:
        """Take the summary out of its tags, without analysis and chatter; enough titles suffice without tags."""
        found = find_blocks(readable(reply))
        if found.bodies:
            return self._joined(found.bodies, (_CUT_OFF,) if found.cut_off else ())
        if len(_TITLES.keys_in(found.outside) - {TASK}) < LEAST_TITLES:
            raise NoSummary(_NO_SUMMARY)
        return self._joined([found.outside], (_NO_TAGS,))

    def _joined(self, bodies: Sequence[str], warnings: tuple[Warning, ...]) -> Summary:
        """Join the non-empty bodies, identical ones once, under one header (rules F8, F10 and F11)."""
        parted = (body.strip().partition("\n") for body in bodies)
        texts = dict.fromkeys(
            (rest if first.rstrip() == HEADER else f"{first}{feed}{rest}").strip() for first, feed, rest in parted
        )
        joined = "\n\n".join(filter(None, texts))
        if not joined:
            raise NoSummary("The summary is blank.", "emptySummary")
        parts = cut_at(joined, closed_fences(joined))
        body = "".join(part if fenced else _BLANK_LINES.sub("\n\n", part) for part, fenced in parts)
        return Summary(self, f"{HEADER}\n{body}", warnings)

    def parse(self, text: str) -> dict[str, Any]:
        """Parse each section; a section that occurs again is continued."""
        sections: dict[str, str] = {}
        for key, content in titled_sections(text):
            sections[key] = "\n\n".join(filter(None, (sections.get(key), content)))
        return sections

    def blank(self) -> dict[str, Any]:
        """Return no section: a summary has only those that it was given."""
        return {}

    def text_of(self, sections: Mapping[str, Any]) -> str:
        """Write the given sections, in the order of the prompt."""
        written = (f"{_HEADS[key]}\n{escaped(text, _TITLES.is_structure)}".rstrip() for key, text in sections.items())
        return f"{HEADER}\n" + "\n\n".join(written)

    def lacks(self, sections: Mapping[str, Any]) -> str | None:
        """Require a few of the nine titles."""
        if len(sections.keys() - {TASK}) < LEAST_TITLES:
            return "The summary has next to none of the sections that were asked for."
        return None

    def task(self, summary: Summary) -> str:
        """Return the last section on the current task."""
        return last_task(summary.text)

    def next_step_of(self, summary: Summary, direction: Direction, *, kept: bool) -> str:
        """Choose by the summary's own title of section 9, or by the direction if it has neither or both."""
        titles = (summary.sections or {}).keys() & {"optionalNextStep", "contextForContinuingWork"}
        if titles == {"optionalNextStep"} or (len(titles) != 1 and direction != "upTo"):
            return "the sections `Current Work` and `Optional Next Step`"
        recent = "the kept messages and the section" if kept else "the sections `Current Work` and"
        return f"{recent} `Context for Continuing Work`"

    def slots_for(self, direction: Direction, task: bool) -> tuple[Slot, ...]:
        """Return the nine sections of a direction, and the current task on request (rules P6 and P10)."""
        left_out = "optionalNextStep" if direction == "upTo" else "contextForContinuingWork"
        return tuple(slot for slot in super().slots_for(direction, task) if slot.key != left_out)

    def compose(self, sections: Mapping[str, Any], *, blank_sections: bool) -> Summary:
        """Write the sections; an empty one says so or is omitted."""
        filled = {key: text or NOTHING for key, text in sections.items() if text or blank_sections}
        return self.write(filled or {next(iter(sections)): NOTHING})

    def least(self, line: str) -> Summary:
        """Write a line without a title."""
        return Summary(self, f"{HEADER}\n{line}", given={})


def without_tags(summary: Summary) -> Summary:
    """Trim a summary of any style, and remove a raw reply's tags around it (rule C6)."""
    text = summary.text.strip()
    first = next(find_tags(text, ("analysis", "summary")), None)
    if first and not first.closing and first.start == 0:
        return summary.with_text(Detailed().read(text).text)
    return structs.replace(summary, text=text)
