"""Account, profiles, leaderboards, log-in and administration."""
