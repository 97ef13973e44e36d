"""What the user types in the line mode: lines, moves, passwords, and the arguments of commands."""
