"""The Scoville server."""
