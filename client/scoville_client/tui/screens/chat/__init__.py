"""Chat: the panel over a page, its tabs and its log."""
