"""The table the user is at: its state, synchronization and actions."""
