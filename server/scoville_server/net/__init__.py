"""Connections: bytes from the network to typed requests of a service, and back."""
