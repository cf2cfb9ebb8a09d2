"""The operations for a shell; never imports pygls unless it is to serve."""

from collections.abc import Sequence


def main(arguments: Sequence[str] | None = None) -> int:
    """Run one command and give its exit code; an interrupt is one from the first moment on."""
    try:
        from compact_chat.cli import command
    except KeyboardInterrupt:
        return 130
    return command.main(arguments)
