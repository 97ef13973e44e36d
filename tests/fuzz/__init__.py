"""Fuzzing of a server by clients that send any request in any order."""
