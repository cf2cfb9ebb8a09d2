"""Which messages stay, which are cut and which a summary replaces."""
