"""What a chat holds, found in its structure and not in its prose; and how much of it a text still holds."""
