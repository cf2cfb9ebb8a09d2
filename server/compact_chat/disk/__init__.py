"""Where chats are found and files are written: the only room that opens files."""

from typing import TYPE_CHECKING

from compact_chat.door import door

if TYPE_CHECKING:
    from compact_chat.disk.archive import (
        ORIGINALS,
        Archive,
        Beginning,
        Body,
        Head,
        Kept,
        Marks,
        OtherBytes,
        Record,
        SourceKind,
        archive_folder,
        checked,
        is_off,
        known_folders,
        remember_folder,
    )
    from compact_chat.disk.chats import (
        Found,
        Heads,
        Recent,
        RecentChats,
        Scan,
        Wanted,
        known_homes,
        list_chats,
        projects_folder,
    )
    from compact_chat.disk.files import (
        UNREADABLE,
        Followed,
        ends_of,
        open_file,
        path_of,
        read_file,
        read_path,
        read_siblings,
    )
    from compact_chat.disk.home import NotRegular, changed, folder_for, home_folder, regular_file
    from compact_chat.disk.neighbors import BEGINNING, WHOLE, Place, shown_by_neighbors
    from compact_chat.disk.settings import find_instructions, instruction_text, read_tool_settings, settings_files
    from compact_chat.disk.state import locked, private_folder, put, put_new, read_ratios, state_folder, write_ratio
    from compact_chat.disk.workspace import LONGEST_PROJECT, project_name, workspace_of, workspace_path
else:  # a type checker would accept any name from it
    __getattr__ = door(__name__)
