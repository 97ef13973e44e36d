"""JetStream implementation of the Journal protocol, for several nodes."""
