"""Driver of a connection: reading in turns, answers, output and the debug log."""
