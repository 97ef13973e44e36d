"""The client: what a person sees, and the keys that answer."""
