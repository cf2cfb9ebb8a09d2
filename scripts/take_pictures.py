"""Take the pictures of the walkthrough and of the README again: python -m scripts.take_pictures.

A photographed window becomes a small PNG: 256 colors at most, of which the most frequent stay just as they are.
"""

from __future__ import annotations

import base64
import struct
import tempfile
import zlib
from collections import Counter
from pathlib import Path
from typing import NamedTuple

from playwright.sync_api import FloatRect, Page, ViewportSize, sync_playwright

from tests.servers.processes import within
from tests.vscode.claude import put_session
from tests.vscode.extension import PATIENCE, Extension, extended
from tests.vscode.machine import Places
from tests.vscode.workbench import Wanted, open_browser, started

ROOT = Path(__file__).parents[1]
WALKTHROUGH = ROOT / "vscode-client/media/walkthrough"
SIZE: ViewportSize = {"width": 1240, "height": 720}
PERCENT = 81
THEMES = {"dark": "Dark 2026", "light": "Light 2026"}
SETTINGS = {
    "breadcrumbs.enabled": False,
    "editor.minimap.enabled": False,
    "compactChat.windows": {"claude-sonnet-4-5-20250929": 104_700},  # makes the example chat that full
}


def take() -> None:
    """Show the example chat in a workbench, dark and light, and photograph what the four steps are about."""
    with tempfile.TemporaryDirectory() as folder, sync_playwright() as playwright:
        browser = open_browser(playwright, Path(folder))
        for name, theme in THEMES.items():
            wanted = extended(Wanted(settings={**SETTINGS, "workbench.colorTheme": theme}, prepare=put_session))
            with started(browser, Places(Path(folder) / name), wanted, Path(folder)) as workbench:
                workbench.page.set_viewport_size(SIZE)
                workbench.hide_side_bars()
                _photograph(Extension(workbench), Camera(workbench.page, browser.new_page(), name))
        browser.close()


class Camera(NamedTuple):
    """What is photographed, and an empty page that makes the pictures small."""

    page: Page
    blank: Page
    theme: str

    def step(self, name: str, clip: FloatRect) -> None:
        """Take the picture of a step of the walkthrough."""
        self.keep(WALKTHROUGH / f"{name}-{self.theme}.png", clip)

    def keep(self, file: Path, clip: FloatRect | None = None) -> None:
        """Take a picture of the window, or of a part of it."""
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_bytes(shrunk(self.blank, self.page.screenshot(clip=clip)))


def _photograph(window: Extension, camera: Camera) -> None:
    editors, mouse = window.workbench.editors, camera.page.mouse
    within(PATIENCE, lambda: window.percent == PERCENT)
    window.hover()
    camera.step("meter", _corner(740))
    mouse.move(0, 0)
    window.compact()
    camera.step("summary", _top(editors.part.bounding_box()))
    window.missing.first.scroll_into_view_if_needed()
    window.missing.first.get_by_role("checkbox").check()
    within(PATIENCE, lambda: window.screen.locator("main[aria-busy=true]").count() == 0)
    mouse.move(0, 0)
    camera.step("missing", _top(editors.part.bounding_box()))
    window.button("continue").click()
    window.workbench.chat.box.get_by_text("Bakery shop").wait_for()
    mouse.move(0, 0)
    camera.step("continue", _corner(800))
    camera.keep(ROOT / f"docs/vscode-{camera.theme}.png")


def _corner(width: float) -> FloatRect:
    """The lower right of the window, twice as wide as high."""
    height = width / 2
    return {"x": SIZE["width"] - width, "y": SIZE["height"] - height, "width": width, "height": height}


def _top(box: FloatRect | None) -> FloatRect:
    """The upper part of a box, twice as wide as high."""
    assert box is not None
    return {**box, "height": box["width"] / 2}


MOST = 256
PIXELS = """async png => {
    const image = new Image();
    image.src = `data:image/png;base64,${png}`;
    await image.decode();
    const canvas = new OffscreenCanvas(image.width, image.height);
    const context = canvas.getContext("2d");
    context.drawImage(image, 0, 0);
    const { data } = context.getImageData(0, 0, image.width, image.height);
    let text = "";
    for (const value of data) text += String.fromCharCode(value);
    return { width: image.width, height: image.height, pixels: btoa(text) };
}"""

Color = tuple[int, int, int]


def shrunk(blank: Page, png: bytes) -> bytes:
    """The same picture; an empty page of the browser unpacks it."""
    told = blank.evaluate(PIXELS, base64.b64encode(png).decode())
    raw = base64.b64decode(told["pixels"])
    colors = list(zip(raw[0::4], raw[1::4], raw[2::4], strict=True))
    return _packed(told["width"], told["height"], _likened(colors))


def _likened(colors: list[Color]) -> list[Color]:
    """Each color as the most frequent one of its neighbourhood, which is as small as can be."""
    counted = Counter(colors)
    for step in range(1, MOST):
        heads: dict[Color, Color] = {}
        for color, _ in counted.most_common():
            heads.setdefault(_cell(color, step), color)
        if len(heads) <= MOST:
            break
    return [heads[_cell(color, step)] for color in colors]


def _cell(color: Color, step: int) -> Color:
    red, green, blue = color
    return red // step, green // step, blue // step


def _packed(width: int, height: int, colors: list[Color]) -> bytes:
    palette = sorted(set(colors))
    place = {color: bytes([number]) for number, color in enumerate(palette)}
    rows = (b"".join(place[one] for one in colors[row * width : (row + 1) * width]) for row in range(height))
    header = struct.pack(">IIBBBBB", width, height, 8, 3, 0, 0, 0)
    content = zlib.compress(b"".join(b"\0" + row for row in rows), 9)
    named = ((b"IHDR", header), (b"PLTE", bytes(sum(palette, ()))), (b"IDAT", content), (b"IEND", b""))
    return b"\x89PNG\r\n\x1a\n" + b"".join(_chunk(name, data) for name, data in named)


def _chunk(name: bytes, data: bytes) -> bytes:
    return struct.pack(">I", len(data)) + name + data + struct.pack(">I", zlib.crc32(name + data))


if __name__ == "__main__":
    take()
