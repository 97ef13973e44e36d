"""Identities as pure data: claimed names, tokens and SSH keys."""
