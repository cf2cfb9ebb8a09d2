"""Where chats lie: the only room that opens files."""
