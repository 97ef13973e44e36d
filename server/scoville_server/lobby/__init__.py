"""The lobby: its live feed, quick match, default tables and the webhook."""
