"""The operations for editors: JSON-RPC in LSP frames, over standard input and output or TCP."""

from typing import TYPE_CHECKING

from compact_chat.door import door

if TYPE_CHECKING:
    from compact_chat.serve.server import serve_stdio
    from compact_chat.serve.tcp import serve_tcp

if not TYPE_CHECKING:  # a type checker would accept any name from it
    __getattr__ = door(__name__, {"server": "serve_stdio", "tcp": "serve_tcp"})
