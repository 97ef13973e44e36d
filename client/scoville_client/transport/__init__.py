"""Ways to a server: over TCP, or to one inside this process. Both carry the same bytes."""
