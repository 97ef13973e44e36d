"""Killing a real server with SIGKILL during games, and comparing its state afterwards.

`tests/e2e/test_kill.py` kills at a few places, `scripts/kill` everywhere.
"""
