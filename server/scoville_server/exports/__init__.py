"""Exports: all data of a server as text that other programs can read, and a new data folder made of it."""
