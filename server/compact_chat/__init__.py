"""Compact Chat: measure, preview, summarise and continue AI chats."""

__version__ = "0.1.0"
