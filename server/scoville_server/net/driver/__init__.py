"""Driver of a connection: when it is read, what is answered, what is sent, and its debug log."""
