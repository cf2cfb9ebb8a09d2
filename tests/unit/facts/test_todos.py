"""The todo list as it was left."""

from __future__ import annotations

from typing import Any

import pytest

from compact_chat.facts import find_steps, todos
from tests.samples.tools import used

EXPECTED = [("plan", "done"), ("build", "doing"), ("test", "open")]


@pytest.mark.parametrize(
    ("tool", "given"),
    [
        (
            "TodoWrite",
            {
                "todos": [
                    {"content": "plan", "status": "completed"},
                    {"content": "build", "status": "in_progress", "activeForm": "Building"},
                    {"content": "test", "status": "pending"},
                ]
            },
        ),
        (
            "update_plan",
            {
                "plan": [
                    {"step": "plan", "status": "completed"},
                    {"step": "build", "status": "in_progress"},
                    {"step": "test", "status": "pending"},
                ]
            },
        ),
        (
            "manage_todo_list",
            {
                "operation": "write",
                "todoList": [
                    {"id": 1, "title": "plan", "description": "d", "status": "completed"},
                    {"id": 2, "title": "build", "description": "d", "status": "in-progress"},
                    {"id": 3, "title": "test", "description": "d", "status": "not-started"},
                ],
            },
        ),
    ],
)
def test_the_list_of_each_tool(tool: str, given: dict[str, Any]) -> None:
    """Items and their status are read as each tool writes them."""
    assert [(todo.text, todo.status) for todo in todos(find_steps(used(tool, "ok", **given)))] == EXPECTED


def test_only_the_newest_list_counts() -> None:
    """A list that a later one replaced is superseded; a failed call changes nothing."""
    chat = [
        *used("TodoWrite", "ok", todos=[{"content": "old", "status": "pending"}]),
        *used("TodoWrite", "ok", todos=[{"content": "new", "status": "pending"}]),
        *used("TodoWrite", "bad", is_error=True, todos=[]),
        *used("manage_todo_list", "the list", operation="read"),
    ]

    assert [todo.text for todo in todos(find_steps(chat))] == ["new"]


def test_tasks_are_made_and_updated_one_by_one() -> None:
    """A task's number stands in the result of the call that made it."""
    chat = [
        *used("TaskCreate", "Task #1 created successfully: a", subject="a", description="long"),
        *used("TaskCreate", "Task #2 created successfully: b", subject="b"),
        *used("TaskUpdate", "Updated task #1", taskId="1", status="completed"),
        *used("TaskUpdate", "Updated task #2", taskId="2", status="in_progress"),
        *used("TaskUpdate", "none", taskId="9", status="completed"),
    ]

    assert [(todo.text, todo.status) for todo in todos(find_steps(chat))] == [("a", "done"), ("b", "doing")]


@pytest.mark.parametrize("given", [{}, {"todos": None}, {"todos": [1, "x", {}]}, {"todos": 5}])
def test_a_list_of_another_shape_has_no_items(given: dict[str, Any]) -> None:
    """Nothing is made up where the call holds no items."""
    assert todos(find_steps(used("TodoWrite", "ok", **given))) == ()
