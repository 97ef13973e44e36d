"""Evolvers by subject; `evolve.evolve` is their one entrance."""
