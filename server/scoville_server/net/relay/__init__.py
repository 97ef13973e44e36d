"""Connections that are open at a node that leaves, and that the next node serves by way of it."""
