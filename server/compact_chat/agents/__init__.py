"""Inside terminal agents: a status line, a hook for every event, and what installs both."""

from typing import TYPE_CHECKING

from compact_chat.door import door

if TYPE_CHECKING:
    from compact_chat.agents.command import AGENT_COMMANDS, add_agent_commands, add_template, run_agent_command, watch
    from compact_chat.agents.hook import run_hook
    from compact_chat.agents.install import overview
    from compact_chat.agents.statusline import run_statusline
else:  # a type checker would accept any name from it
    __getattr__ = door(__name__)
