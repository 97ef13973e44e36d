"""Where records are kept: the protocol, and the ways to keep them."""
