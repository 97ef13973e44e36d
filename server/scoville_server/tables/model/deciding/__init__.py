"""Deciders by subject; `decide.decide` is their one entrance."""
