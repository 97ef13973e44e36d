"""Accounts: sessions, tokens, claimed names, passwords and SSH keys."""
