"""Tables: an actor for each, a registry of all, and everything around their games."""
