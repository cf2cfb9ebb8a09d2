"""A summary out of the facts of a chat: what goes into which section, and what fits."""
