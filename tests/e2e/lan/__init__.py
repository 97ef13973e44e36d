"""A local network of two namespaces, with real multicast DNS."""
