"""Draw the README's pictures from real runs, on the example and in an agent: python scripts/draw_picture.py."""

from __future__ import annotations

import io
import os
import sys
from pathlib import Path
from tempfile import TemporaryDirectory

from rich.console import Console
from rich.terminal_theme import MONOKAI
from rich.text import Text

sys.path.insert(0, str(Path(__file__).parents[1]))  # a script is imported from its own folder only

from compact_chat.agents.hook import answer_to
from compact_chat.agents.statusline import line_for
from compact_chat.cli.terminal import Terminal
from compact_chat.cli.views import show_verdict
from compact_chat.operations import ClientState, Job, compact_chat
from compact_chat.wire import SHELL_STYLE
from tests.samples.compacted import ClaudeSession

ROOT = Path(__file__).resolve().parents[1]
TERMINAL = Terminal(width=100, interactive=True, color=True)
# A picture must not load a font from anywhere.
FRAME = """<svg class="rich-terminal" viewBox="0 0 {width} {height}" xmlns="http://www.w3.org/2000/svg">
<style>
.{unique_id}-matrix {{ font-family: ui-monospace, Menlo, Consolas, monospace; font-size: {char_height}px; line-height: {line_height}px; }}
.{unique_id}-title {{ font-size: 18px; font-weight: bold; font-family: sans-serif; }}
{styles}
</style>
<defs>
<clipPath id="{unique_id}-clip-terminal"><rect x="0" y="0" width="{terminal_width}" height="{terminal_height}" /></clipPath>
{lines}
</defs>
{chrome}
<g transform="translate({terminal_x}, {terminal_y})" clip-path="url(#{unique_id}-clip-terminal)">
{backgrounds}
<g class="{unique_id}-matrix" xml:space="preserve">{matrix}</g>
</g>
</svg>
"""  # noqa: E501 -- lines of SVG


def main() -> None:
    """Write docs/compact.svg and docs/agents.svg."""
    draw("compact", "make compact", page())
    with TemporaryDirectory() as folder:
        os.environ |= {"HOME": folder, "XDG_STATE_HOME": f"{folder}/state", "TERM": "xterm", "COLUMNS": ""}
        draw("agents", "claude", agent_page(Path(folder)))


def draw(name: str, title: str, lines: list[str]) -> None:
    """Write one picture of a terminal."""
    console = Console(record=True, width=TERMINAL.width, file=io.StringIO(), force_terminal=True)
    for line in lines:
        console.print(Text.from_ansi(line), no_wrap=True, crop=True)
    svg = console.export_svg(title=title, theme=MONOKAI, code_format=FRAME, unique_id=name)
    (ROOT / "docs" / f"{name}.svg").write_text(svg, "utf-8")


def page() -> list[str]:
    """Return the screen of the example."""
    client, asked = ClientState(), {"chat": {"uri": (ROOT / "examples" / "bakery.jsonl").as_uri()}}
    with TemporaryDirectory() as folder:
        client.configure({"provider": "offline", "archive": folder, "style": SHELL_STYLE})
        return list(show_verdict(compact_chat(asked, Job(client))[0], TERMINAL))


def agent_page(folder: Path) -> list[str]:
    """Hold a chat as an agent would, let it compact, and take what it shows of us before and after."""
    chat = ClaudeSession(folder / "s1.jsonl", str(folder))
    rule = "Never touch till.py without asking me first."
    common = {"session_id": "s1", "transcript_path": str(chat.path), "cwd": str(folder)}
    window = {"model": {"id": "claude-opus-5-5"}, "version": "2.1.327", "prompt_id": "p"}

    def line(tokens: int, prompt: str) -> str:
        usage = {"input_tokens": 10, "cache_read_input_tokens": tokens}
        context = {"context_window_size": 200_000, "current_usage": usage if tokens else {"input_tokens": 0}}
        return line_for({**common, **window, "prompt_id": prompt, "context_window": context})

    chat.user(f"Please build the parser. {rule}")
    chat.todos(("Write the lexer", "completed"), ("Port the grammar to LALR", "pending"))
    chat.answer("The lexer is written.")
    before = [line(tokens, prompt) for prompt, tokens in (("a", 118_000), ("b", 127_000), ("c", 137_000))][-1]
    answer_to({**common, "hook_event_name": "PreCompact", "trigger": "auto"})
    chat.compact("The user wants a parser. The lexer is written.")
    during = line(0, "c")
    answer = answer_to({**common, "hook_event_name": "UserPromptSubmit", "prompt": "Go on."}) or {}
    added = answer["hookSpecificOutput"]["additionalContext"].splitlines()[1:]
    after = line(14_000, "d")
    dim, plain, bar = "\033[2m", "\033[0m", "─" * 96
    return [
        *(f"{dim}❯{plain} Please build the parser. {rule}", "● The lexer is written.", f"{dim}{bar}{plain}", before),
        *("", f"{dim}… Claude Code compacts the chat by itself, and says nothing …{plain}", "", during, ""),
        *(f"{dim}❯{plain} Go on.", f"{dim}  ⎿{plain} {answer['systemMessage']}", ""),
        *(f"{dim}    what the model gets with the prompt:{plain}", *(f"    {one}" for one in added), ""),
        *(f"{dim}{bar}{plain}", after),
    ]


if __name__ == "__main__":
    main()
