"""JetStream implementation of the Journal protocol, for several nodes of which one serves."""
