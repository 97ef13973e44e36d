"""The bots of No Thanks!."""
