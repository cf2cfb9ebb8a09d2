"""Run Compact Chat as `python -m compact_chat`."""

from compact_chat.cli import run

if __name__ == "__main__":
    run()
