"""Site: what HTTP requests are answered with, who may ask, and what browsers must not do with it."""
