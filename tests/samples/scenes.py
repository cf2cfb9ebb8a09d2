"""Files of scenes: short chats in lines, as tests of whole rooms read them."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from itertools import pairwise

from msgspec.structs import replace

from compact_chat.chat import Message, Text, Thinking, ToolCall
from tests.samples.chats import a, res, talk, u


def written_out(line: str) -> str:
    """Return a line with line ends for `↵`, other signs of control for theirs, nine times `bun ` for `«bun »9;`."""
    whole = re.sub("«(.*?)»([0-9]+);", lambda found: found[1] * int(found[2]), line)
    return whole.translate(str.maketrans("↵␍␛", "\n\r\x1b"))


def parts(text: str) -> Iterator[list[str]]:
    """Yield the lines of each part of a text, its name first, which follows `= `."""
    lines = text.removesuffix("\n").split("\n")
    starts = [place for place, line in enumerate(lines) if line.startswith("= ")]
    for start, end in pairwise([*starts, len(lines)]):
        yield [lines[start][2:], *lines[start + 1 : end]]


def played(lines: list[str]) -> tuple[list[Message], list[str]]:
    """Return the messages of a scene, and the summaries that it is compared with.

    `u:` and `a:` speak, `h:` is a host's and `u^:` an earlier summary, `$` or a tool calls, `|` and `!` answer, `?`
    with what a person typed. `@` went along with the words above, `t:` is a thought, `s:` a summary to compare with,
    and `~` leaves a call open.
    """
    messages, summaries, answer, is_open = list[Message](), list[str](), list[str](), False
    for line in [*map(written_out, lines), "u: "]:
        sign, _, text = line.partition(" ")
        if sign in ("|", "!", "?"):
            answer.append(line)
            continue
        is_open = sign == "~" or is_open
        if messages and messages[-1].calls and not is_open:
            is_error = any(one.startswith("!") for one in answer)
            said = tuple(one[2:] for one in answer if one.startswith("?"))
            result = res(messages[-1].calls[0].id, "\n".join(one[2:] for one in answer), is_error=is_error)
            messages.append(replace(u(result), typed=said) if said else u(result))
        answer = []
        match sign:
            case "u:" | "a:":
                messages += [(u if sign == "u:" else a)(text)] if text else []
            case "h:":
                messages.append(replace(u(text), by_host=True))
            case "t:":
                messages.append(a(Thinking(text)))
            case "u^:":
                messages.append(replace(u(text), is_summary=True))
            case "@":
                before = messages[-1]
                messages[-1] = replace(before, parts=(*before.parts, Text(text)), typed=before.typed or (before.text,))
            case "s:":
                summaries.append(text)
            case "~":
                continue
            case _:
                name, given = ("Bash", {"command": text}) if sign == "$" else (sign, json.loads(text))
                messages.append(a(ToolCall(f"c{len(messages)}", name, given)))
        is_open = False
    return list(talk(*messages)), summaries
