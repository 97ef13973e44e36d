"""Soak test: many users at one server, briefly in the tests, for minutes with `scripts/soak`."""
