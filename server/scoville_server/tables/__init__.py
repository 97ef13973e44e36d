"""Tables: the actor of each, the registry of all, and what happens around their games."""
