"""Who writes a summary from a request: models, and an extractor that needs none."""
