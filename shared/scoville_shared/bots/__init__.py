"""Players without a person: each takes a View and returns a Move, and knows no more than that View."""
