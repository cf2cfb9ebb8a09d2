"""Compact Chat: measure, preview, summarize and continue AI chats."""

__version__ = "0.2.0"
