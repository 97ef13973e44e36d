"""The daily deal: the same deal for all users against the same bots, and the comparison of all results."""
