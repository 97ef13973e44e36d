"""The shipped units under a real systemd, the first process of namespaces of its own."""
