"""The operations for a shell; never imports pygls unless it is to serve."""

from compact_chat.cli.main import main

__all__ = ["main"]
