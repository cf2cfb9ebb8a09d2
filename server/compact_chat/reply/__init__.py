"""A model's reply becomes a summary, or is refused."""
