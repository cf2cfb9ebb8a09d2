"""The operations for editors: JSON-RPC in LSP frames."""

from typing import TYPE_CHECKING

from compact_chat.door import door

if TYPE_CHECKING:
    from compact_chat.serve.server import serve_stdio, serve_tcp
    from compact_chat.serve.tcp import listen

__all__ = [
    "listen",
    "serve_stdio",
    "serve_tcp",
]
__getattr__ = door(
    __name__,
    {
        "server": "serve_stdio serve_tcp",
        "tcp": "listen",
    },
)
