"""Listening: connections before HTTP, and the networks that they come from."""
