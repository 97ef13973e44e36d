"""Perfect play of the last cards of No Thanks!."""
