"""The doctor: looks at a server's folder, machine and settings, and names what is wrong with its remedy."""
