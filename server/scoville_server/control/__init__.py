"""Control: a Unix socket in the data folder, by which users of this machine watch the server and act on it."""
