"""Pages: open WebSockets, each with a hosted session."""
