"""The main screen in a browser, against a real server: what each part shows, and what each action changes."""

from __future__ import annotations

import json
import os
import re
import statistics
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import pytest
from playwright.sync_api import Browser, expect

from tests.conftest import SHARED_CHATS
from tests.page.conftest import Show
from tests.page.served import BAKERY, PATIENCE, Screen, Served, served
from tests.servers.processes import within

LARGE = SHARED_CHATS / "claude-code" / "entire-5e5207-two-boundaries.jsonl"
AT_ONCE = 100  # milliseconds
SLIDE = """steps => {
    const slider = document.querySelector("input[type=range]");
    return steps.map(step => {
        const began = performance.now();
        slider.value = String(step);
        slider.dispatchEvent(new Event("input", { bubbles: true }));
        document.body.getBoundingClientRect();
        return [performance.now() - began, document.querySelector(".verdict").textContent,
                document.querySelectorAll(".missing .row").length, slider.getAttribute("aria-valuetext")];
    });
}"""
TIMED = """([selector, expected]) => {
    const began = performance.now();
    document.querySelector(selector).click();
    document.body.getBoundingClientRect();
    const isDone = document.querySelector(expected) !== null;
    return [performance.now() - began, isDone];
}"""


def test_the_screen_shows_both_sizes_and_the_whole_chat(bakery: Served, show: Show) -> None:
    """Two bars on one scale with the limit on both, a turn for each message of the user, the message, the actions."""
    screen = show(bakery.address)

    assert screen.page.locator(".bar").count() == 2
    places = [one.bounding_box() for one in screen.page.locator(".limit").all()]
    assert len(places) == 2
    assert places[0] is not None
    assert places[1] is not None
    assert places[0]["x"] == places[1]["x"]
    assert screen.page.locator("[data-turn]").count() == 9  # eight, and what the tool put before them
    kept, total = screen.counts
    assert 0 < kept < total
    assert screen.card("Missing").locator(".row").count() == total - kept
    assert "Where we are" in screen.message
    expect(screen.page.locator(".next summary").first).to_have_text(re.compile(r"· \d+ lines$"))
    expect(screen.button("Continue in New Chat")).to_be_enabled()
    expect(screen.button("Copy Message")).to_be_enabled()
    assert screen.page.locator("[data-action=rewrite]").count() == 0  # there is no key for a model
    assert screen.page.title().startswith("Bakery shop")


def test_the_page_and_a_shell_tell_the_same_sizes(bakery: Served, show: Show, tmp_path: Path) -> None:
    """Of the conversation now and after, and what is saved."""
    screen = show(bakery.address)
    command = (sys.executable, "-m", "compact_chat", "compact", str(BAKERY))
    environment = {**os.environ, "XDG_STATE_HOME": str(tmp_path / "other"), "HOME": str(tmp_path)}
    shell = subprocess.run(command, env=environment, capture_output=True, encoding="utf-8", check=True).stdout
    found = re.search(r"conversation .* less\)", shell)
    assert found
    expect(screen.page.locator(".figure").last).to_contain_text(found[0])


def test_the_slider_shows_its_effect_at_once_and_the_server_follows(bakery: Served, show: Show) -> None:
    """Figures and lists change with each step within 100 ms; then the message has the new length."""
    screen = show(bakery.address)
    whole = screen.page.locator(".next .body")  # the folded record too
    long = len(whole.text_content() or "")
    last = int(screen.slider.get_attribute("max") or 0)

    found = screen.page.evaluate(SLIDE, [*range(last + 1), 0])

    assert max(one[0] for one in found[1:]) < AT_ONCE
    assert [one[2] for one in found[: last + 1]] == sorted((one[2] for one in found[: last + 1]), reverse=True)
    assert found[0][1] != found[last][1]
    assert found[0][3].startswith("Brief")
    assert found[last // 2][3].startswith("Standard")
    screen.settled()
    assert len(whole.text_content() or "") < long
    assert screen.counts[0] == int(found[0][1].split()[0])


@pytest.mark.skipif(not LARGE.exists(), reason="the collection of real chats is not here")
def test_a_real_chat_of_100_000_tokens_answers_within_100_ms(tmp_path: Path, show: Show) -> None:
    """Slider, box and pin show their effect at once; what the tool's compactions dropped is told and can be read."""
    with served(LARGE, tmp_path) as one:
        screen = show(one.address)
        last = int(screen.slider.get_attribute("max") or 0)

        steps = screen.page.evaluate(SLIDE, [*range(last + 1), *range(last, -1, -1)])
        screen.settled()
        box = screen.page.evaluate(TIMED, [".missing input", ".missing input:checked"])
        screen.settled()
        pin = screen.page.evaluate(TIMED, ["button.seg", "button.seg[aria-pressed=true]"])
        screen.settled()

        times = [step[0] for step in steps]
        print(
            f"slider p50 {statistics.median(times):.1f} ms, most {max(times):.1f}; box {box[0]:.1f}, pin {pin[0]:.1f}"
        )
        assert statistics.median(times) < AT_ONCE
        assert box[0] < AT_ONCE
        assert pin[0] < AT_ONCE
        assert box[1]
        assert pin[1]
        expect(screen.page.locator(".notice.good")).to_contain_text("twice")
        expect(screen.page.locator("[data-turn]").last).to_have_attribute("aria-label", re.compile("Turn 14,"))
        error = screen.card("Missing").locator("li.row").filter(has_text="error · turn 1").first
        said = error.locator("label").inner_text().splitlines()[0]
        error.get_by_role("button", name="Peek", exact=False).click()
        answer = screen.page.get_by_role("dialog").locator("article").last
        expect(answer).to_contain_text(said)
        screen.page.keyboard.press("Escape")
        screen.card("Missing").get_by_role("button", name=re.compile(r"Show \d+ More")).click()
        row = screen.card("Missing").locator(".row", has_text="shortened in the message").first
        expect(row).to_contain_text("whole in an exported session")
        expect(row.get_by_role("checkbox")).to_have_count(0)
        row.get_by_role("button").click()
        expect(screen.page.get_by_role("dialog").locator("article")).to_have_count(1)


def test_what_is_added_back_stays_through_other_changes(bakery: Served, show: Show) -> None:
    """A ticked box adds its text to the message, marked; another length keeps it; the box takes it out again."""
    screen = show(bakery.address)
    missing = screen.card("Missing")
    row = missing.locator(".row").first
    text = row.locator(".text").inner_text()
    before = screen.counts

    row.get_by_role("checkbox").check()
    screen.settled()
    assert screen.counts[0] == before[0] + 1
    expect(screen.page.locator(".next .added").first).to_be_attached()
    screen.slider.press("Home")
    screen.settled()
    assert missing.locator(".row").filter(has_text=text).get_by_role("checkbox").is_checked()
    expect(screen.page.locator(".next .added").first).to_be_attached()
    screen.slider.press("End")
    screen.settled()
    for button in screen.button("Add Back All", exact=False).all():
        button.click()
    screen.settled()
    assert screen.counts[0] == screen.counts[1]


def test_each_stop_has_the_size_of_its_message(bakery: Served, show: Show) -> None:
    """With what is added back, which the list says, and of which each box is there to untick."""
    screen = show(bakery.address)
    screen.slider.press("Home")
    screen.settled()
    kept, total = screen.counts
    screen.button("Add Back All", exact=False).click()
    screen.settled()

    stops = screen.page.locator(".stop")
    sizes = [float((one.split()[-1]).rstrip("k")) for one in stops.all_inner_texts()]
    assert sizes == sorted({*sizes})
    expect(screen.page.locator(".length b").first).to_contain_text(stops.first.inner_text().split()[-1])
    expect(screen.card("Missing").get_by_role("heading")).to_have_text(f"Added back ({total - kept})")
    screen.card("Missing").get_by_role("checkbox").first.uncheck()
    screen.settled()
    expect(screen.card("Missing").get_by_role("heading")).to_have_text(f"Missing (1), added back ({total - kept - 1})")


def test_an_earlier_draft_says_so_and_can_be_begun_anew(bakery: Served, show: Show) -> None:
    """Its own text counts as it is, also where it lacks what was added back; the way back is kept."""
    screen = show(bakery.address)
    first, total = screen.message, screen.counts[1]
    screen.card("Missing").get_by_role("checkbox").first.check()
    screen.settled()
    screen.button("Edit").click()
    screen.page.get_by_role("textbox").fill("# Mine\n\nMy own words.")
    screen.button("Save", exact=False).click()
    screen.settled()
    assert screen.counts == (0, total)
    assert screen.page.locator(".notice", has_text="earlier draft").count() == 0

    screen.page.reload()
    screen.wait()
    expect(screen.page.locator(".notice", has_text="earlier draft")).to_contain_text("version 3")
    assert screen.counts == (0, total)
    screen.button("Start Anew").click()
    screen.settled()
    assert screen.message == first
    again = show(bakery.address)  # which has none of the changes
    assert again.message == first
    assert again.page.locator(".notice", has_text="earlier draft").count() == 0
    screen.button("Show Earlier Draft").click()
    screen.settled()
    assert "My own words." in screen.message
    assert screen.page.locator(".notice", has_text="earlier draft").count() == 0


def test_a_turn_is_pinned_left_out_and_bounds_what_is_summarized(bakery: Served, show: Show) -> None:
    """A click pins a turn; its menu leaves it out, or summarizes up to it."""
    screen = show(bakery.address)
    turns = screen.page.locator(".turn:has(button)")

    turns.nth(3).locator("button").click()
    screen.settled()
    expect(turns.nth(3).locator("button")).to_have_attribute("aria-pressed", "true")
    expect(turns.nth(3)).to_have_class("turn keep pinned")
    turns.nth(3).locator("button").click()
    screen.settled()
    turns.nth(3).locator("button").click(button="right")
    turns.nth(4).hover(position={"x": 20, "y": 10})  # on the way to the menu, which stays with its turn
    screen.page.get_by_role("menuitem", name="Leave Out").click()
    screen.settled()
    expect(turns.nth(3)).to_have_class("turn drop")
    turns.nth(5).locator("button").click(button="right")
    screen.page.get_by_role("menuitem", name="Summarize up to Here").click()
    screen.settled()
    expect(turns.nth(6)).to_have_class("turn keep")
    screen.act("Undo Last Change")
    screen.settled()
    expect(turns.nth(6)).not_to_have_class("turn keep")
    expect(turns.nth(3)).to_have_class("turn drop")
    screen.act("Undo Last Change")
    screen.settled()
    expect(turns.nth(3)).not_to_have_class("turn drop")


def test_a_fact_and_its_place_in_the_message_light_up_together(bakery: Served, show: Show) -> None:
    """A focused row lights up its place, also in the folded record; a click on the place goes to the row."""
    screen = show(bakery.address)

    screen.card("Kept").get_by_role("button", name="rules").click()
    row = screen.page.locator("[data-fact]").nth(1)
    row.focus()
    lit = screen.page.locator(".next [data-facts].lit").first
    expect(lit).to_be_in_viewport()
    assert lit.inner_text() in row.inner_text()
    screen.page.locator(".next h4", has_text="Rules").locator("xpath=..").locator("[data-facts]").first.click()
    assert screen.page.evaluate("document.activeElement.dataset.fact").startswith("constraints:")


def test_all_that_is_kept_is_listed(bakery: Served, show: Show) -> None:
    """Class by class; messages that stay whole are counted only, and have no list to unfold."""
    screen = show(bakery.address)
    kept = screen.card("Kept")
    screen.button("Show All").click()
    expect(kept.get_by_role("heading", level=3).first).to_have_text("9 rules")
    expect(kept.get_by_role("heading", name=re.compile("^0 "))).to_have_count(0)
    expect(kept).to_contain_text("kept messages whole")
    screen.button("Fold All").click()
    expect(kept.get_by_role("heading", level=3)).to_have_count(0)


def test_the_original_message_is_shown(bakery: Served, show: Show) -> None:
    """Peek opens the message that a missing fact is from; Escape closes it and gives the focus back."""
    screen = show(bakery.address)
    peek = screen.peek

    peek.click()
    dialog = screen.page.get_by_role("dialog")
    begins = (peek.get_attribute("aria-label") or "").removeprefix("Peek at the original: ")[:20]
    assert len(begins) == 20
    expect(dialog.locator("pre").first).to_contain_text(begins)
    screen.page.keyboard.press("Escape")
    expect(dialog).to_have_count(0)
    expect(peek).to_be_focused()


def test_an_edit_is_measured_and_survives_another_length(bakery: Served, show: Show) -> None:
    """What a person writes replaces the message, and is merged into the next one."""
    screen = show(bakery.address)

    screen.button("Edit").click()
    box = screen.page.get_by_role("textbox")
    text = box.input_value()
    box.fill(text.replace("## Next\n", "## Next\n0. Ask Mara about the ovens first.\n"))
    box.press("Control+s")
    expect(screen.page.locator(".next .body")).to_contain_text("Ask Mara about the ovens first.")
    expect(screen.card("The next chat begins with")).to_contain_text("edited by you")
    screen.slider.press("Home")
    screen.settled()
    assert "Ask Mara about the ovens first." in screen.message


def test_escape_keeps_what_was_typed(bakery: Served, show: Show) -> None:
    """It closes an untouched editor only; Cancel discards; the focus goes back to where the edit began."""
    screen = show(bakery.address)
    edit, box, before = screen.button("Edit"), screen.page.get_by_role("textbox"), screen.message

    edit.click()
    box.press("Escape")
    expect(box).to_have_count(0)
    expect(edit).to_be_focused()

    edit.press("Enter")
    box.press_sequentially("Mine. ")
    typed = box.input_value()
    box.press("Escape")
    expect(screen.status).to_contain_text("Cancel")
    expect(box).to_have_value(typed)
    expect(box).to_be_focused()
    assert typed.startswith("Mine. ")
    screen.button("Cancel").click()
    expect(box).to_have_count(0)
    expect(edit).to_be_focused()
    assert screen.message == before

    edit.press("Enter")
    box.fill("Mine alone.")
    box.press("Control+s")
    expect(screen.page.locator(".next .body")).to_have_text("Mine alone.")
    expect(edit).to_be_focused()


def test_a_command_of_a_host_is_shown_as_it_was_typed(tmp_path: Path, show: Show) -> None:
    """Its turn, also as a screen reader speaks it, has the command's name and the person's words, not the markup."""
    markup = "<command-name>/bake</command-name><command-args>with rye</command-args>"
    lines = BAKERY.read_text("utf-8").splitlines()
    record = json.loads(lines[25])
    record["message"]["content"] = markup
    lines[25] = json.dumps(record)
    chat = tmp_path / "chat.jsonl"
    chat.write_text("\n".join(lines))

    with served(chat, tmp_path) as one:
        turn = show(one.address).page.locator("[data-turn='2']")
        expect(turn).to_have_accessible_name(re.compile("Turn 2, /bake with rye, "))
        expect(turn).to_have_attribute("title", "Turn 2: /bake with rye")


def test_each_stop_tells_the_size_that_the_message_then_has(bakery: Served, show: Show) -> None:
    """Before the slider is moved there, and after."""
    screen = show(bakery.address)
    before = screen.page.locator(".stop").all_inner_texts()
    for key in ("Home", "End"):
        screen.slider.press(key)
        screen.settled()
        assert screen.page.locator(".stop").all_inner_texts() == before


def test_what_is_typed_while_an_edit_is_saved_stays(bakery: Served, show: Show) -> None:
    """The editor stays open with it, as it was typed, until that is saved too."""
    screen = show(bakery.address)
    screen.button("Edit").click()
    box = screen.page.get_by_role("textbox")
    box.fill("Mine.")
    box.press("End")
    screen.page.keyboard.press("Control+s")
    screen.page.keyboard.type(" More.")
    expect(screen.status).to_contain_text("saved")
    expect(box).to_have_value("Mine. More.")
    expect(box).to_be_focused()
    box.press("Control+s")
    expect(screen.page.locator(".next .body")).to_have_text("Mine. More.")


def test_a_box_or_the_slider_waits_for_an_open_edit(bakery: Served, show: Show) -> None:
    """They stay as they are, a line says why, and the edit can be saved."""
    screen = show(bakery.address)
    length = screen.slider.input_value()
    screen.button("Edit").click()
    screen.page.get_by_role("textbox").fill("Mine alone.")
    screen.slider.press("Home")
    screen.card("Missing").get_by_role("checkbox").first.click()
    expect(screen.page.get_by_role("alert")).to_contain_text("Save your edit first")
    expect(screen.card("Missing").get_by_role("checkbox").first).not_to_be_checked()
    assert screen.slider.input_value() == length
    screen.button("Save").click()
    expect(screen.page.locator(".next .body")).to_have_text("Mine alone.")


def test_a_window_with_an_unsaved_edit_asks_before_it_closes(bakery: Served, show: Show) -> None:
    """Only where something was typed."""
    screen = show(bakery.address)
    screen.button("Edit").click()
    screen.page.get_by_role("textbox").press_sequentially("Mine.")
    with screen.page.expect_event("dialog") as question:
        screen.page.close(run_before_unload=True)
    assert question.value.type == "beforeunload"
    question.value.dismiss()
    screen.button("Cancel").click()
    with screen.page.expect_event("close"):
        screen.page.close(run_before_unload=True)


def test_two_windows_do_not_overwrite_each_other(bakery: Served, show: Show) -> None:
    """A change on an old version is applied to the newest; an edit of an old one is shown beside the newest."""
    first = show(bakery.address)
    second = show(f"{bakery.address}&{urlsplit(first.page.url).fragment}")

    first.card("Missing").get_by_role("checkbox").first.check()
    first.settled()
    second.page.locator("button.seg").nth(3).click()
    second.settled()
    assert second.card("Missing").get_by_role("checkbox").first.is_checked()
    assert second.page.locator("button.seg").nth(3).get_attribute("aria-pressed") == "true"

    second.button("Edit").click()
    second.page.get_by_role("textbox").fill("Mine alone.")
    first.page.bring_to_front()
    first.slider.press("Home")
    first.settled()
    second.button("Save").click()
    expect(second.page.get_by_role("alert").locator("pre")).to_have_text("Mine alone.")
    assert "Where we are" in second.message


def test_a_reload_shows_the_draft_as_it_was(bakery: Served, show: Show) -> None:
    """Boxes, length and text come back without a token in the address; the server waits for its page."""
    screen = show(bakery.address)
    screen.card("Missing").get_by_role("checkbox").first.check()
    screen.slider.press("Home")
    screen.settled()
    before = screen.counts, screen.message, screen.slider.input_value()

    assert "token" not in screen.page.url
    screen.page.reload()
    screen.wait()

    assert (screen.counts, screen.message, screen.slider.input_value()) == before
    assert bakery.is_running


def test_a_draft_that_was_changed_opens_again(bakery: Served, show: Show) -> None:
    """With what was done there; no other is begun."""
    first = show(bakery.address)
    first.card("Missing").get_by_role("checkbox").first.check()
    first.settled()
    message = first.message

    second = show(bakery.address)
    assert second.message == message
    expect(second.page.locator(".notice", has_text="earlier draft")).to_contain_text("version 2")
    assert second.card("Missing").get_by_role("checkbox").first.is_checked()
    second.act("Show History")
    expect(second.page.get_by_role("dialog").locator("article")).to_have_count(1)


def test_a_chat_that_has_grown_gets_a_new_draft(show: Show, tmp_path: Path) -> None:
    """It says that a changed one is there; the history opens it."""
    chat = tmp_path / "chat.jsonl"
    chat.write_bytes(BAKERY.read_bytes())
    with served(chat, tmp_path) as one:
        first = show(one.address)
        first.card("Missing").get_by_role("checkbox").first.check()
        first.settled()
        message = first.message
        last = json.loads(chat.read_text("utf-8").splitlines()[-1])
        with chat.open("a", encoding="utf-8") as file:
            file.write(json.dumps({**last, "uuid": "grown", "parentUuid": last["uuid"]}) + "\n")

        second = show(one.address)
        assert second.message != message
        second.page.locator(".notice").get_by_role("button", name="Show History").click()
        second.page.locator("dialog article").get_by_role("button").nth(2).click()
        expect(second.page.locator(".notice").get_by_role("button", name="Show History")).to_have_count(0)
        assert second.message == message


def test_actions_copy_save_and_export(bakery: Served, show: Show, tmp_path: Path) -> None:
    """Continue copies the message and says what to do; Markdown is a download; a session is a file of its tool."""
    screen = show(bakery.address)

    screen.page.keyboard.press("Control+Enter")
    expect(screen.status).to_contain_text("Claude Code")
    copied = screen.page.evaluate("navigator.clipboard.readText()")
    assert copied.startswith("# Bakery shop")
    screen.card("Missing").get_by_role("checkbox").last.check()
    screen.button("Copy Message").click()
    expect(screen.status).to_have_text("The message is copied.")
    assert "test_checkout.py" in screen.page.evaluate("navigator.clipboard.readText()").split("## Record")[0]
    copied = screen.page.evaluate("navigator.clipboard.readText()")
    with screen.page.expect_download() as download:
        screen.act("Save as Markdown")
    assert Path(download.value.path()).read_text("utf-8") == copied
    screen.act("Export as Claude Code Session")
    expect(screen.status).to_contain_text(str(tmp_path))
    written = screen.status.inner_text().removeprefix("Written to ")
    assert all(json.loads(line) for line in Path(written).read_text("utf-8").splitlines())


def test_the_original_and_the_history_are_shown(bakery: Served, show: Show) -> None:
    """The original is read above the page; a compaction in the history opens in its place."""
    screen = show(bakery.address)
    screen.slider.press("Home")
    screen.settled()
    before = screen.message
    dialog = screen.page.get_by_role("dialog")

    screen.act("Show Original Chat")
    expect(dialog.locator("article")).to_have_count(56)
    screen.page.keyboard.press("Escape")
    screen.act("Show History")
    expect(dialog.locator("article")).to_have_count(1)
    expect(dialog.locator("article")).to_contain_text("{} of {} items kept".format(*screen.counts))
    dialog.get_by_role("button", name="Original of").click()
    expect(dialog.locator("article")).to_have_count(56)
    screen.page.keyboard.press("Escape")
    screen.act("Show History")
    dialog.get_by_role("button", name="Bakery shop", exact=False).first.click()
    expect(dialog).to_have_count(0)
    screen.wait()
    assert screen.message == before


def test_an_address_that_was_used_says_so(tmp_path: Path, show: Show, browser: Browser) -> None:
    """The second of two windows gets one sentence, with a way on."""
    opened = tmp_path / "opened"
    opener = tmp_path / "opener.sh"
    opener.write_text(f'#!/bin/sh\necho "$1" > {opened}\n')
    opener.chmod(0o755)
    with served(BAKERY, tmp_path, {"BROWSER": f"{opener} %s"}):
        within(PATIENCE, lambda: opened.exists() and opened.read_text().endswith("\n"))
        address = opened.read_text().strip()
        show(address)
        second = browser.new_page()
        second.goto(address)
        expect(second.get_by_role("alert")).to_contain_text("compact-chat open")
        expect(second.get_by_role("alert")).to_have_count(1)
        expect(second.get_by_role("button")).to_have_count(0)
        second.close()


def test_everything_works_by_keyboard(bakery: Served, show: Show) -> None:
    """Tab reaches slider, strip, boxes, classes and the message; arrows, Enter, Space and Escape do the rest."""
    screen = show(bakery.address)
    press = screen.page.keyboard.press

    def tab_to(selector: str) -> None:
        for _ in range(60):
            press("Tab")
            if screen.page.evaluate("selector => document.activeElement.matches(selector)", selector):
                return
        raise AssertionError(f"Tab does not reach {selector}")

    tab_to("[aria-haspopup=menu]")
    press("Enter")
    expect(screen.page.get_by_role("menuitem").first).to_be_focused()
    press("ArrowDown")
    assert "Claude Code Session" in screen.focused
    press("Escape")
    assert screen.focused == "More actions"
    tab_to("input[type=range]")
    press("ArrowLeft")
    screen.settled()
    tab_to("button.seg")
    press("ArrowLeft")
    press("Enter")
    screen.settled()
    assert screen.page.evaluate("document.activeElement.ariaPressed") == "true"
    press("Enter")
    screen.settled()
    press("Shift+F10")
    expect(screen.page.get_by_role("menuitem").first).to_be_focused()
    press("Escape")
    tab_to(".missing input")
    press("Space")
    screen.settled()
    tab_to(".missing .row .link")
    press("Enter")
    expect(screen.page.get_by_role("dialog")).to_be_visible()
    press("Escape")
    tab_to(".chip")
    press("Enter")
    tab_to("[data-fact]")
    expect(screen.page.locator(".next .lit").first).to_be_attached()
    tab_to(".next .link")
    press("Enter")
    press("Escape")
    expect(screen.page.get_by_role("textbox")).to_have_count(0)
    expect(screen.button("Edit")).to_be_focused()


def test_the_process_ends_with_its_page(tmp_path: Path, browser: Browser) -> None:
    """A moment after the last window is closed the server is gone."""
    with served(BAKERY, tmp_path) as one:
        page = browser.new_page()
        Screen(page).open(one.address)
        page.close()
        within(PATIENCE, lambda: not one.is_running)
        assert one.process.returncode == 0


def test_a_server_that_dies_is_told(tmp_path: Path, show: Callable[..., Any]) -> None:
    """The page says in one sentence how to come back; what needs it is off, and the text can be copied."""
    with served(BAKERY, tmp_path) as one:
        screen = show(one.address)
        one.process.kill()
        expect(screen.page.get_by_role("alert")).to_contain_text("compact-chat open")
        for control in (screen.slider, screen.peek, screen.button("Pin"), screen.button("Edit")):
            expect(control).to_be_disabled()
        expect(screen.card("Missing").get_by_role("checkbox").first).to_be_disabled()
        expect(screen.button("Continue in New Chat")).to_be_disabled()
        screen.button("Copy Message").click()
        expect(screen.status).to_have_text("The message is copied.")
        assert screen.page.evaluate("navigator.clipboard.readText()").startswith("# Bakery shop")


def test_a_page_that_waits_for_its_server_says_so(bakery: Served, browser: Browser) -> None:
    """Before the first answer too."""
    page = browser.new_page()
    page.route_web_socket("**/socket", lambda _: None)
    page.goto(bakery.address)
    expect(page.get_by_role("status").first).to_have_text("Opening the chat…")
    page.close()


def test_a_chat_that_cannot_be_compacted_is_told(tmp_path: Path, show: Callable[..., Any], browser: Browser) -> None:
    """One sentence, with a way on."""
    chat = tmp_path / "short.md"
    chat.write_text("Hello.")
    with served(chat, tmp_path) as one:
        page = browser.new_page()
        page.goto(one.address)
        expect(page.get_by_role("alert")).to_be_visible(timeout=PATIENCE * 1000)
        expect(page.get_by_role("button")).to_have_text(["Try Again"])
        page.close()
