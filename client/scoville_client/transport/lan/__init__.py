"""Servers on the local network: found by multicast DNS, and reached at one of their announced addresses."""
