"""Where chats lie and what is written: the only room that opens files."""

from typing import TYPE_CHECKING

from compact_chat.door import door

if TYPE_CHECKING:
    from compact_chat.disk.archive import (
        Beginning,
        Body,
        Head,
        Kept,
        Marks,
        Record,
        SourceKind,
        archive_folder,
        is_off,
        known_folders,
        original_path,
        remember_folder,
    )
    from compact_chat.disk.chats import Found, Heads, Recent, RecentChats, Scan, Wanted, chats_seen
    from compact_chat.disk.files import MAX_FILE_BYTES, open_file, path_of, read_beside, read_file
    from compact_chat.disk.follow import Followed
    from compact_chat.disk.instructions import find_instructions
    from compact_chat.disk.state import private_folder, put, put_new, read_ratios, state_folder, write_ratio

__all__ = [
    "MAX_FILE_BYTES",
    "Beginning",
    "Body",
    "Followed",
    "Found",
    "Head",
    "Heads",
    "Kept",
    "Marks",
    "Recent",
    "RecentChats",
    "Record",
    "Scan",
    "SourceKind",
    "Wanted",
    "archive_folder",
    "chats_seen",
    "find_instructions",
    "is_off",
    "known_folders",
    "open_file",
    "original_path",
    "path_of",
    "private_folder",
    "put",
    "put_new",
    "read_beside",
    "read_file",
    "read_ratios",
    "remember_folder",
    "state_folder",
    "write_ratio",
]

if not TYPE_CHECKING:  # a type checker would take any name from it
    __getattr__ = door(
        __name__,
        {
            "archive": "Beginning Body Head Kept Marks Record SourceKind archive_folder is_off known_folders "
            "original_path remember_folder",
            "chats": "Found Heads Recent RecentChats Scan Wanted chats_seen",
            "files": "MAX_FILE_BYTES open_file path_of read_beside read_file",
            "follow": "Followed",
            "instructions": "find_instructions",
            "state": "private_folder put put_new read_ratios state_folder write_ratio",
        },
    )
