"""Input of the line mode: lines, moves, passwords, and the arguments of commands."""
