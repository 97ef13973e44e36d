"""The command `scoville`: arguments and commands."""
