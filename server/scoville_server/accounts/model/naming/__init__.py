"""Names of users: which may be chosen, and which look alike (Unicode Technical Standard #39)."""
