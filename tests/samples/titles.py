"""The titles of a detailed summary, as rule P6 has them."""

from __future__ import annotations

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
)
EARLIER_TITLES = (*TITLES[:-1], "Context for Continuing Work")  # where newer messages stay
