"""Start screen."""
