"""Chats hold anything: nothing of one is markup, steers the text around it, or breaks the layout."""

from __future__ import annotations

import json
from pathlib import Path

from playwright.sync_api import expect

from tests.page.conftest import Show
from tests.page.served import served

MARKUP = (
    '<img src=x onerror="window.broken=1"> <script>window.broken=1</script> <iframe srcdoc="<b>x</b>"></iframe> '
    "[a link](javascript:window.broken=1) ![picture](https://example.com/x.png) "
    "</textarea></div><style>*{display:none}</style>"
)
BIDI = "Never touch \u202egpj.exe\u202c and \u2066this\u2069"
WORD = "x" * 5000
DEEP = "> " * 300 + "deep\n" + "- " * 300 + "deep\n" + "*" * 2000 + "`" * 2001


def write_chat(folder: Path) -> Path:
    """Write a chat with all of it, in what is typed, answered and returned by a tool, and in its title."""
    said = [f"Always escape output. {MARKUP}", f"Never print this: {BIDI}", f"Use {WORD}", DEEP, "Go on."]
    messages: list[dict[str, object]] = []
    for number, text in enumerate(said):
        messages.append({"role": "user", "content": text})
        call = {"type": "tool_use", "id": f"toolu_{number}", "name": "Bash", "input": {"command": f"echo '{MARKUP}'"}}
        messages.append({"role": "assistant", "content": [{"type": "text", "text": f"## {MARKUP}\n{text}"}, call]})
        result = {"type": "tool_result", "tool_use_id": f"toolu_{number}", "content": f"{MARKUP}\n{BIDI}\n" * 60}
        messages.append({"role": "user", "content": [result]})
        messages.append({"role": "assistant", "content": f"Decided to use {MARKUP} rather than {BIDI}, because of it."})
    file = folder / "hostile.json"
    file.write_text(json.dumps({"messages": messages}))
    return file


def test_nothing_of_a_chat_is_markup(tmp_path: Path, show: Show) -> None:
    """Elements and scripts stay text in lists, message, strip, original and editor; what steers text is a number."""
    with served(write_chat(tmp_path), tmp_path) as one:
        screen = show(one.address)
        screen.button("Show All").click()
        for fold in screen.page.locator("summary").all():
            fold.click()
        screen.page.locator("button.seg").last.focus()
        for name in ("img", "iframe", "style", "main script", "a[href]"):
            assert screen.page.locator(name).count() == 0
        assert screen.page.evaluate("window.broken") is None
        text = screen.page.evaluate("document.body.textContent")
        assert "<script>window.broken=1</script>" in text
        assert not {"\u202e", "\u2066"} & set(text)
        assert "‹U+202E›" in text

        screen.button("More for", exact=False).click()
        screen.page.get_by_role("menuitem", name="Show Messages").click()
        expect(screen.page.get_by_role("dialog").locator("pre").first).to_be_visible()
        screen.page.keyboard.press("Escape")
        screen.button("Edit").click()
        assert MARKUP[:40] in screen.page.get_by_role("textbox").input_value()
        assert screen.page.evaluate("window.broken") is None


def test_long_words_do_not_widen_the_page(tmp_path: Path, show: Show) -> None:
    """Neither in a narrow window nor in a wide one."""
    with served(write_chat(tmp_path), tmp_path) as one:
        for width in (320, 1400):
            screen = show(one.address, viewport={"width": width, "height": 800})
            screen.button("Show All").click()
            assert screen.page.evaluate("document.documentElement.scrollWidth - innerWidth") <= 0


def test_the_page_loads_nothing_from_elsewhere(tmp_path: Path, show: Show) -> None:
    """All requests go to the server of the page; a script or style in the page is refused by its policy."""
    with served(write_chat(tmp_path), tmp_path) as one:
        screen = show(one.address)
        asked: list[str] = []
        screen.page.on("request", lambda request: asked.append(request.url))
        screen.page.reload()
        screen.wait()
        assert {url.split("/")[2] for url in asked if not url.startswith("data:")} == {f"127.0.0.1:{one.port}"}

        screen.page.evaluate("""() => {
            const script = document.createElement("script");
            script.textContent = "window.broken = 1";
            document.body.append(script);
        }""")
        assert screen.page.evaluate("window.broken") is None
        assert any("Content Security Policy" in line for line in screen.wrong)
        screen.wrong.clear()
