"""The daily deal: the same deal for everybody against the same bots, and the comparison of all results."""
