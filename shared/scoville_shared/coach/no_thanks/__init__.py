"""The coach of No Thanks!."""
