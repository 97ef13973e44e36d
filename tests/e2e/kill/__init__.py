"""Killing a real server with SIGKILL while games are played, and comparing what is there afterwards.

`tests/e2e/test_kill.py` kills at a few places, `scripts/kill` everywhere.
"""
