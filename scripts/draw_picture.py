"""Draw the README's picture from a real run on the example: python scripts/draw_picture.py."""

from __future__ import annotations

import io
from pathlib import Path
from tempfile import TemporaryDirectory

from rich.console import Console
from rich.terminal_theme import MONOKAI
from rich.text import Text

from compact_chat.cli.terminal import Terminal
from compact_chat.cli.verdict import show_verdict
from compact_chat.operations import ClientState, Job, compact_chat
from compact_chat.wire import SHELL_STYLE

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
    """Write docs/compact.svg."""
    console = Console(record=True, width=TERMINAL.width, file=io.StringIO(), force_terminal=True)
    for line in page():
        console.print(Text.from_ansi(line), no_wrap=True, crop=True)
    svg = console.export_svg(title="make compact", theme=MONOKAI, code_format=FRAME, unique_id="compact")
    (ROOT / "docs").mkdir(exist_ok=True)
    (ROOT / "docs" / "compact.svg").write_text(svg, "utf-8")


def page() -> list[str]:
    """Return the screen of the example."""
    client, asked = ClientState(), {"chat": {"uri": (ROOT / "examples" / "bakery.jsonl").as_uri()}}
    with TemporaryDirectory() as folder:
        client.configure({"provider": "offline", "archive": folder, "style": SHELL_STYLE})
        return list(show_verdict(compact_chat(asked, Job(client))[0], TERMINAL))


if __name__ == "__main__":
    main()
