"""Screens: pages and dialogs over one session."""
