"""Moderation: admins, bans, reports and the audit log."""
