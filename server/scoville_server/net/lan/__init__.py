"""The local network: the server announces itself by multicast DNS."""
