"""Observation: the figures of a running server, its status, metrics and health."""
