"""The operations for editors: JSON-RPC over standard input and output, TCP, or the WebSocket of a page."""

from typing import TYPE_CHECKING

from compact_chat.door import door

if TYPE_CHECKING:
    from compact_chat.serve.page import serve_page
    from compact_chat.serve.server import serve_stdio
    from compact_chat.serve.tcp import serve_tcp
else:  # a type checker would accept any name from it
    __getattr__ = door(__name__)
