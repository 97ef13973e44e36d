"""The command `scoville-server`: `main` has its arguments, `serving` runs the server, `output` prints."""
