"""From a summary to the next chat."""
