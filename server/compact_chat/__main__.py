"""Run Compact Chat as `python -m compact_chat`."""

import sys

from compact_chat.cli import main

if __name__ == "__main__":
    sys.exit(main())
