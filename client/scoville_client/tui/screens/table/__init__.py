"""Table screen: waiting room, board and result, and the actions at a table."""
